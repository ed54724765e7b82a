package main

import (
	"bytes"
	"encoding/json"

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

// Writes objects as kube-apiserver does.
func objectWriter() func(*object) {
	check(v1.AddToScheme(scheme.Scheme))
	decoder := serializer.NewCodecFactory(scheme.Scheme).UniversalDeserializer()
	encoder := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	return func(one *object) {
		typed, _, err := decoder.Decode(one.JSON, nil, nil)
		check(err)
		var message bytes.Buffer
		check(encoder.Encode(typed, &message))
		*one = object{message.Bytes(), written(typed)}
	}
}
