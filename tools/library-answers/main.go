// Asks the Go libraries of Kubernetes anew for the cases in the tests. See README.md.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// From the folder of this program.
const packages = "../../packages"

// A case: its inputs as they are written in the file, and behind them the answers.
type row []any

func (r *row) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	*r = make(row, len(parts))
	for at, part := range parts {
		(*r)[at] = part
	}
	return nil
}

// What the file has at the place.
func read[T any](r row, at int) T {
	var value T
	check(json.Unmarshal(r[at].(json.RawMessage), &value))
	return value
}

func refusal(err error) map[string]string {
	return map[string]string{"error": err.Error()}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func written(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(value))
	return out.Bytes()
}

// Lets the answers in a JSON file be replaced.
func rewrite[T any](file string, answer func(cases *T)) {
	path := filepath.Join(packages, file)
	text, err := os.ReadFile(path)
	check(err)
	var cases T
	check(json.Unmarshal(text, &cases))
	answer(&cases)
	check(os.WriteFile(path, written(cases), 0o644))
}

// Lets the answers in a file be replaced that has a JSON document on each line.
func rewriteLines[T any](file string, answer func(line *T)) {
	path := filepath.Join(packages, file)
	text, err := os.ReadFile(path)
	check(err)
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var one T
		check(json.Unmarshal(line, &one))
		answer(&one)
		out.Write(written(one))
	}
	check(os.WriteFile(path, out.Bytes(), 0o644))
}

func main() {
	rewrite("schema/test/values/quantity-cases.json", answerQuantities)
	rewrite("schema/test/values/time-cases.json", answerTimes)
	rewrite("schema/test/recorded/rule-costs.json", answerRuleCosts)
	rewrite("api/test/values/selector-cases.json", answerSelectors)
	rewrite("schema/test/recorded/expressions.json", answerExpressions)
	rewrite("schema/test/recorded/formats.json", answerFormats)
	rewrite("scheduling/test/placement/scheduler/sort-cases.json", answerSorts)
	rewriteLines("apiserver/test/protobuf/cases.jsonl", objectWriter())
	rewriteLines("apiserver/test/patch/strategic-facts.jsonl", answerPatch)
}
