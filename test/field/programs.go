package main

// programs is the plan of twenty small programs: what an agent costs where nothing is in its way.
var programs = plan{
	name: "programs", about: "twenty small programs to write, some of which use others",
	readme: "Small programs in POSIX shell, one a file in bin/, each with a test in tests/. `sh tests/run` runs all tests.\n",
	jobs: []job{
		{
			name: "slug", title: "Make a slug of a title", body: "bin/slug TEXT… prints the text as it stands in an address.",
			criteria: []string{
				"Letters become small, and words are joined by single hyphens", "Whatever is no ASCII letter or digit divides words",
				"A text without letters or digits gives an empty line",
			},
			checks: []check{
				with("Hello World").prints("hello-world"), with("  A -- b!  ").prints("a-b"), with("™").prints(""), with("x2", "Y").prints("x2-y"),
			},
		},
		{
			name: "upper", title: "Write a text in capitals", body: "bin/upper reads standard input and prints it in capitals.",
			criteria: []string{"ASCII letters become capitals, and all else stays as it is", "Line breaks stay where they are"},
			checks:   []check{reading("ab c\nd1\n").prints("AB C\nD1"), reading("").prints("")},
		},
		{
			name: "lines", title: "Count lines", body: "bin/lines reads standard input and prints how many lines it has.",
			criteria: []string{"An empty input has 0 lines", "A last line without a line break counts", "It prints the number alone"},
			checks:   []check{reading("").prints("0"), reading("a\nb").prints("2"), reading("a\nb\n").prints("2"), reading("\n\n").prints("2")},
		},
		{
			name: "words", title: "Count words", body: "bin/words reads standard input and prints how many words it has, divided by blanks, tabs and line breaks.",
			criteria: []string{"An empty input has 0 words", "Tabs and line breaks divide words too", "It prints the number alone"},
			checks:   []check{reading("").prints("0"), reading("a b\tc\nd\n").prints("4"), reading("   \n").prints("0"), reading("it's one-word").prints("2")},
		},
		{
			name: "sum", title: "Add numbers", body: "bin/sum reads whole numbers from standard input, one a line, and prints their sum.",
			criteria: []string{"Empty lines are passed over", "No number at all gives 0", "Negative numbers count"},
			checks:   []check{reading("1\n2\n\n3\n").prints("6"), reading("").prints("0"), reading("-5\n2\n").prints("-3")},
		},
		{
			name: "mean", title: "Take the mean of numbers", body: "bin/mean reads whole numbers from standard input, one a line, and prints their mean, rounded down.",
			criteria: []string{"Empty lines are passed over", "No number at all gives the word none", "It rounds towards the smaller number"},
			deps:     []string{"sum", "lines"},
			checks:   []check{reading("1\n2\n").prints("1"), reading("").prints("none"), reading("4\n\n6\n").prints("5"), reading("-1\n-2\n").prints("-2")},
		},
		{
			name: "reverse", title: "Turn lines round", body: "bin/reverse reads standard input and prints each line from its end to its beginning.",
			criteria: []string{"Each line by itself, in the same order", "Blanks at the ends of a line move with it"},
			checks:   []check{reading("abc\nde\n").prints("cba\ned"), reading(" ab\n").prints("ba "), reading("").prints("")},
		},
		{
			name: "palindrome", title: "Tell whether a text is a palindrome", body: "bin/palindrome TEXT prints yes or no.",
			criteria: []string{"Capitals count as small letters", "What is no ASCII letter does not count", "A text without letters is one"},
			deps:     []string{"reverse", "upper"},
			checks:   []check{with("Never odd or even").prints("yes"), with("ab").prints("no"), with("").prints("yes"), with("A man, a plan!").prints("no")},
		},
		{
			name: "fizzbuzz", title: "Count with fizz and buzz", body: "bin/fizzbuzz N prints the numbers from 1 to N, one a line.",
			criteria: []string{"Multiples of 3 are fizz, of 5 buzz, of both fizzbuzz", "0 prints nothing"},
			checks: []check{
				with("5").prints("1\n2\nfizz\n4\nbuzz"), with("0").prints(""),
				with("15").prints("1\n2\nfizz\n4\nbuzz\nfizz\n7\n8\nfizz\nbuzz\n11\nfizz\n13\n14\nfizzbuzz"),
			},
		},
		{
			name: "gcd", title: "Find the greatest common divisor", body: "bin/gcd A B prints the greatest common divisor of two whole numbers.",
			criteria: []string{"0 and N gives N", "Negative numbers count by their size"},
			checks:   []check{with("12", "18").prints("6"), with("0", "7").prints("7"), with("-12", "8").prints("4"), with("17", "5").prints("1")},
		},
		{
			name: "lcm", title: "Find the least common multiple", body: "bin/lcm A B prints the least common multiple of two whole numbers.",
			criteria: []string{"0 and N gives 0", "It uses bin/gcd"}, deps: []string{"gcd"},
			checks: []check{with("4", "6").prints("12"), with("0", "5").prints("0"), with("7", "3").prints("21")},
		},
		{
			name: "leap", title: "Tell whether a year is a leap year", body: "bin/leap YEAR prints yes or no, by the Gregorian calendar.",
			criteria: []string{"A century is one only if 400 divides it"},
			checks:   []check{with("2024").prints("yes"), with("1900").prints("no"), with("2000").prints("yes"), with("2023").prints("no")},
		},
		{
			name: "days", title: "Count the days of a month", body: "bin/days MONTH YEAR prints how many days a month has; months are numbers from 1.",
			criteria: []string{"February follows bin/leap", "A month that is none ends with exit code 2 and prints nothing to standard output"},
			deps:     []string{"leap"},
			checks: []check{
				with("2", "2024").prints("29"), with("2", "1900").prints("28"), with("4", "2023").prints("30"), with("12", "2023").prints("31"),
				with("13", "2023").prints(""),
			},
		},
		{
			name: "roman", title: "Write a number in Roman numerals", body: "bin/roman N prints a number from 1 to 3999 in Roman numerals.",
			criteria: []string{"4 is IV and 900 is CM", "Any other number ends with exit code 2 and prints nothing to standard output"},
			checks:   []check{with("4").prints("IV"), with("1994").prints("MCMXCIV"), with("3999").prints("MMMCMXCIX"), with("0").prints(""), with("4000").prints("")},
		},
		{
			name: "unroman", title: "Read Roman numerals", body: "bin/unroman TEXT prints the number that Roman numerals stand for.",
			criteria: []string{"It reads whatever bin/roman writes", "Small letters count too"}, deps: []string{"roman"},
			checks: []check{with("MCMXCIV").prints("1994"), with("iv").prints("4"), with("MMMCMXCIX").prints("3999")},
		},
		{
			name: "dedupe", title: "Drop repeated lines", body: "bin/dedupe reads standard input and prints each line that has not been there before.",
			criteria: []string{"The order stays", "Lines that differ in blanks are different"},
			checks:   []check{reading("b\na\nb\nc\na\n").prints("b\na\nc"), reading("a\n a\n").prints("a\n a"), reading("").prints("")},
		},
		{
			name: "longest", title: "Find the longest line", body: "bin/longest reads standard input and prints its longest line.",
			criteria: []string{"Of several it is the first", "An empty input prints nothing"},
			checks:   []check{reading("a\nccc\nbb\n").prints("ccc"), reading("ab\ncd\n").prints("ab"), reading("").prints("")},
		},
		{
			name: "trim", title: "Trim lines", body: "bin/trim reads standard input and prints it without blanks and tabs at the ends of lines.",
			criteria: []string{"Both ends of every line", "Blanks within a line stay"},
			checks:   []check{reading("  a b \n\tc\t\n").prints("a b\nc"), reading("\n x\n").prints("\nx")},
		},
		{
			name: "column", title: "Take a column of a table", body: "bin/column N reads lines of values divided by commas and prints the Nth value of each, from 1.",
			criteria: []string{"A line with fewer values prints an empty line", "There are no quotes to be read"},
			checks:   []check{reading("a,b\nc,d\n", "2").prints("b\nd"), reading("a\nb,c\n", "2").prints("\nc"), reading("a,,c\n", "3").prints("c")},
		},
		{
			name: "total", title: "Add a column of a table", body: "bin/total N reads lines of values divided by commas and prints the sum of the Nth values.",
			criteria: []string{"It uses bin/column and bin/sum", "Lines without the value are passed over"}, deps: []string{"column", "sum"},
			checks: []check{reading("a,1\nb,2\n", "2").prints("3"), reading("", "1").prints("0"), reading("1\n2,3\n", "2").prints("3")},
		},
	},
}
