package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// writeTable writes one line for each field and each resource, so that a change of release reads well.
func writeTable(out io.Writer, types []*tableType, resources []*resource) {
	fmt.Fprintf(out, "{\n\"generatedBy\":\"tools/builtin-table\",\n\"from\":%s,\n\"types\":{\n", compact(modules))
	for i, entry := range types {
		head := compact(entry)
		fmt.Fprintf(out, "%s:%s", compact(entry.Name), head[:len(head)-1])
		if len(entry.Enum) == 0 && entry.List == "" {
			if len(head) > 2 {
				fmt.Fprint(out, ",")
			}
			fmt.Fprint(out, "\"fields\":[")
			for j, member := range entry.Fields {
				fmt.Fprintf(out, "%s\n%s", comma(j), compact(member))
			}
			fmt.Fprint(out, "]")
		}
		fmt.Fprintf(out, "}%s\n", trailing(i, len(types)))
	}
	fmt.Fprint(out, "},\n\"resources\":[\n")
	for i, entry := range resources {
		fmt.Fprintf(out, "%s%s\n", compact(entry), trailing(i, len(resources)))
	}
	fmt.Fprint(out, "]\n}\n")
}

func compact(value any) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return string(bytes.TrimSpace(buffer.Bytes()))
}

func comma(index int) string {
	if index == 0 {
		return ""
	}
	return ","
}

func trailing(index, count int) string {
	if index == count-1 {
		return ""
	}
	return ","
}
