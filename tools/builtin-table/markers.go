package main

import (
	"go/ast"
	"strings"
)

// markers are the `+name=value` lines of the comments of a declaration, in order.
type markers map[string][]string

func markersOf(groups ...*ast.CommentGroup) markers {
	found := markers{}
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			line := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
			if !strings.HasPrefix(line, "+") {
				continue
			}
			name, value, _ := strings.Cut(line[1:], "=")
			found[name] = append(found[name], value)
		}
	}
	return found
}

func (m markers) has(name string) bool { return len(m[name]) > 0 }

func (m markers) first(name string) string {
	if values := m[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
