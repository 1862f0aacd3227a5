# Cases whose kernel does something else.
tilewright run --case {fixtures}/wrong_values.json --threads 1
tilewright run --case {fixtures}/wrong_values.json --threads 1 --repeat 2
tilewright run --case {fixtures}/wrong_values.json --threads 1 --json
tilewright run --case {fixtures}/changed_input.json --threads 1
tilewright run --case {fixtures}/wrong_lines.json --threads 1
tilewright run --case {fixtures}/wrong_failure.json --threads 1
tilewright run --case {fixtures}/no_failure.json --threads 1
tilewright run --case {fixtures}/unexpected_failure.json --threads 1
