package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// An object in both media types.
type object struct {
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// Writes the object of each line of a file as kube-apiserver does.
func rewriteObjects(file string) {
	check(v1.AddToScheme(scheme.Scheme))
	decoder := serializer.NewCodecFactory(scheme.Scheme).UniversalDeserializer()
	encoder := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	path := filepath.Join(packages, file)
	text, err := os.ReadFile(path)
	check(err)
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var before object
		check(json.Unmarshal(line, &before))
		typed, _, err := decoder.Decode(before.JSON, nil, nil)
		check(err)
		var message bytes.Buffer
		check(encoder.Encode(typed, &message))
		out.Write(written(object{message.Bytes(), written(typed)}))
	}
	check(os.WriteFile(path, out.Bytes(), 0o644))
}
