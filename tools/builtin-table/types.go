package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// tableType is one of: a struct, an enumeration of strings, a list that is a message on the wire.
type tableType struct {
	Name       string   `json:"-"`
	Enum       []string `json:"enum,omitempty"`
	List       string   `json:"list,omitempty"`
	StructType string   `json:"structType,omitempty"`
	// IsObject says that the type has the fields apiVersion and kind, which are not in its message.
	IsObject bool    `json:"isObject,omitempty"`
	Fields   []field `json:"-"`
}

type field struct {
	Name          string          `json:"name,omitempty"`
	Inline        string          `json:"inline,omitempty"`
	Type          string          `json:"type,omitempty"`
	Number        int             `json:"number,omitempty"`
	Omit          string          `json:"omit,omitempty"`
	Required      bool            `json:"required,omitempty"`
	Default       json.RawMessage `json:"default,omitempty"`
	ListType      string          `json:"listType,omitempty"`
	ListMapKeys   []string        `json:"listMapKeys,omitempty"`
	MapType       string          `json:"mapType,omitempty"`
	PatchStrategy string          `json:"patchStrategy,omitempty"`
	PatchMergeKey string          `json:"patchMergeKey,omitempty"`
}

type typeReader struct {
	directories map[string]string
	sources     map[string]*source
	wanted      []string
	reached     map[string]bool
}

func newTypeReader(directories map[string]string) *typeReader {
	return &typeReader{directories: directories, sources: map[string]*source{}, reached: map[string]bool{}}
}

func (r *typeReader) source(name string) *source {
	if known, ok := r.sources[name]; ok {
		return known
	}
	path := packages[name]
	for module, directory := range r.directories {
		if rest, inside := strings.CutPrefix(path, module+"/"); inside {
			read, err := readSource(name, directory+"/"+rest)
			if err != nil {
				panic(err)
			}
			r.sources[name] = read
			return read
		}
	}
	panic("no module holds the package " + name)
}

func (r *typeReader) declares(pkg, name string) bool { return r.source(pkg).types[name] != nil }

// reach asks for a type and for all that it is made of.
func (r *typeReader) reach(pkg, name string) {
	full := pkg + "." + name
	if !r.reached[full] {
		r.reached[full] = true
		r.wanted = append(r.wanted, full)
	}
}

func (r *typeReader) readAll() ([]*tableType, error) {
	var all []*tableType
	for len(r.wanted) > 0 {
		next := r.wanted[0]
		r.wanted = r.wanted[1:]
		read, err := r.read(next)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", next, err)
		}
		all = append(all, read)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

func (r *typeReader) read(full string) (*tableType, error) {
	dot := strings.LastIndex(full, ".")
	src, name := r.source(full[:dot]), full[dot+1:]
	declared := src.types[name]
	if declared == nil {
		return nil, fmt.Errorf("not declared")
	}
	read := &tableType{Name: full, StructType: declared.markers.first("structType")}
	switch expr := declared.expr.(type) {
	case *ast.StructType:
		for _, member := range expr.Fields.List {
			if err := r.readMember(read, src, declared, member); err != nil {
				return nil, fmt.Errorf("%v: %w", member.Names, err)
			}
		}
	case *ast.ArrayType:
		items, err := r.typeOf(src, declared, expr.Elt)
		if err != nil {
			return nil, err
		}
		read.List = items
	case *ast.SelectorExpr:
		target, err := r.typeOf(src, declared, expr)
		if err != nil {
			return nil, err
		}
		aliased, err := r.read(target)
		if err != nil {
			return nil, err
		}
		aliased.Name = full
		return aliased, nil
	default:
		values, err := r.enumOf(src, name)
		if err != nil {
			return nil, err
		}
		read.Enum = values
	}
	return read, nil
}

func (r *typeReader) enumOf(src *source, name string) ([]string, error) {
	var values []string
	for _, found := range src.typed[name] {
		value := found.value
		if found.named != "" {
			short, known := shortName(found.path)
			if !known {
				return nil, fmt.Errorf("the package of %s.%s is not in the list", found.path, found.named)
			}
			value = r.source(short).constants[found.named]
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("no constant gives a value of this enumeration")
	}
	sort.Strings(values)
	return slices.Compact(values), nil
}

func (r *typeReader) readMember(read *tableType, src *source, declared *declaredType, member *ast.Field) error {
	var tag reflect.StructTag
	if member.Tag != nil {
		text, _ := strconv.Unquote(member.Tag.Value)
		tag = reflect.StructTag(text)
	}
	jsonTag := strings.Split(tag.Get("json"), ",")
	number := 0
	if wire := strings.Split(tag.Get("protobuf"), ","); len(wire) > 1 {
		number, _ = strconv.Atoi(wire[1])
	}
	name, options := jsonTag[0], jsonTag[1:]
	if name == "-" {
		return nil
	}
	typeName, err := r.typeOf(src, declared, member.Type)
	if err != nil {
		return err
	}
	if len(member.Names) == 0 && name == "" {
		if typeName == "meta.v1.TypeMeta" {
			read.IsObject = true
			return nil
		}
		read.Fields = append(read.Fields, field{Inline: typeName, Number: number})
		return nil
	}
	if name == "" {
		return fmt.Errorf("no name in JSON")
	}
	found := markersOf(member.Doc)
	entry := field{
		Name: name, Type: typeName, Number: number,
		ListType: found.first("listType"), ListMapKeys: found["listMapKey"], MapType: found.first("mapType"),
		PatchStrategy: tag.Get("patchStrategy"), PatchMergeKey: tag.Get("patchMergeKey"),
	}
	if entry.MapType == "" {
		entry.MapType = found.first("structType")
	}
	switch {
	case slices.Contains(options, "omitzero"):
		entry.Omit = "zero"
	case slices.Contains(options, "omitempty"):
		entry.Omit = "empty"
	}
	entry.Required = found.has("required") || !found.has("optional") && entry.Omit == ""
	if value := found.first("default"); value != "" {
		if entry.Default, err = defaultOf(src, value); err != nil {
			return err
		}
	}
	read.Fields = append(read.Fields, entry)
	return nil
}

func defaultOf(src *source, text string) (json.RawMessage, error) {
	if constant, isRef := strings.CutPrefix(text, "ref("); isRef {
		value, known := src.constants[strings.TrimSuffix(constant, ")")]
		if !known {
			return nil, fmt.Errorf("the default %s names no constant", text)
		}
		return json.Marshal(value)
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("the default %s is not JSON", text)
	}
	return json.RawMessage(text), nil
}
