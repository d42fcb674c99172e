// The pages work without this script. It makes them live, adds a keyboard, and drives the graph.
import { follow } from "./live.js";
import { keys } from "./keys.js";
import { graph } from "./graph.js";
import { atOnce, copying, ends, looked, navigation, times } from "./small.js";

copying();
times();
keys();
navigation();
atOnce();
looked();
ends();
const drawn = graph();
follow(() => drawn?.again());
