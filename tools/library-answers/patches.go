package main

import (
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// A strategic merge patch of a built-in object.
type patchCase struct {
	Type   string          `json:"type"`
	Live   json.RawMessage `json:"live"`
	Patch  json.RawMessage `json:"patch"`
	Result json.RawMessage `json:"result"`
}

func answerPatch(one *patchCase) {
	// The type is written as in apps.v1.Deployment and core.v1.Service.
	parts := strings.Split(one.Type, ".")
	kind := schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
	if kind.Group == "core" {
		kind.Group = ""
	}
	typed, err := scheme.Scheme.New(kind)
	check(err)
	result, err := strategicpatch.StrategicMergePatch(one.Live, one.Patch, typed)
	check(err)
	// The fields of an equal result stay in the order in which they are.
	if one.Result == nil || !sameJSON(one.Result, result) {
		one.Result = result
	}
}

func sameJSON(a, b []byte) bool {
	var values [2]any
	check(json.Unmarshal(a, &values[0]))
	check(json.Unmarshal(b, &values[1]))
	return reflect.DeepEqual(values[0], values[1])
}
