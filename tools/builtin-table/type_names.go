package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// Types with a JSON form of their own, by package path and name.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             "Time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        "MicroTime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                                         "Duration",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         "FieldsV1",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         "Quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       "IntOrString",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                          "RawExtension",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         "JSON",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       "JSONSchemaPropsOrArray",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        "JSONSchemaPropsOrBool",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "JSONSchemaPropsOrStringArray",
}

var plain = []string{"string", "bool", "int32", "int64", "float64"}

// typeOf spells a type as the table does: `*int32`, `[]core.v1.Volume`, `map[string]Quantity`, `bytes`.
func (r *typeReader) typeOf(src *source, in *declaredType, expr ast.Expr) (string, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		target, err := r.typeOf(src, in, expr.X)
		return "*" + target, err
	case *ast.ArrayType:
		if element, isIdent := expr.Elt.(*ast.Ident); isIdent && element.Name == "byte" {
			return "bytes", nil
		}
		items, err := r.typeOf(src, in, expr.Elt)
		return "[]" + items, err
	case *ast.MapType:
		if key, err := r.typeOf(src, in, expr.Key); err != nil || strings.ContainsAny(key, "[*") {
			return "", fmt.Errorf("a map must have string keys: %w", err)
		}
		values, err := r.typeOf(src, in, expr.Value)
		return "map[string]" + values, err
	case *ast.SelectorExpr:
		path := in.imports[expr.X.(*ast.Ident).Name]
		return r.named(path, expr.Sel.Name)
	case *ast.Ident:
		if slices.Contains(plain, expr.Name) {
			return expr.Name, nil
		}
		return r.named(packages[src.name], expr.Name)
	}
	return "", fmt.Errorf("unexpected type %T", expr)
}

func (r *typeReader) named(path, name string) (string, error) {
	if known, isSpecial := special[path+"."+name]; isSpecial {
		return known, nil
	}
	short, known := shortName(path)
	if !known {
		return "", fmt.Errorf("the package of %s.%s is not in the list", path, name)
	}
	src := r.source(short)
	declared := src.types[name]
	if declared == nil {
		return "", fmt.Errorf("%s.%s is not declared", short, name)
	}
	full := short + "." + name
	_, isStruct := declared.expr.(*ast.StructType)
	isMessage := isStruct || declared.markers.has("protobuf.nullable")
	if isMessage && full == "meta.v1.TypeMeta" {
		return full, nil
	}
	if isMessage || declared.markers.has("enum") {
		r.reach(short, name)
		return full, nil
	}
	return r.typeOf(src, declared, declared.expr)
}

func shortName(path string) (string, bool) {
	for candidate, itsPath := range packages {
		if itsPath == path {
			return candidate, true
		}
	}
	return "", false
}
