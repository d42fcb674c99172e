// Pictures as PNG files.

// png draws the exported picture on a canvas and saves that.
export async function png(address) {
  const text = await (await fetch(address)).text();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const most = 16000, by = Math.min(2, most / image.width, most / image.height);
  const c = document.createElement("canvas");
  c.width = Math.ceil(image.width * by);
  c.height = Math.ceil(image.height * by);
  c.getContext("2d").drawImage(image, 0, 0, c.width, c.height);
  const blob = await new Promise((done) => c.toBlob(done, "image/png"));
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = "graph.png";
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
