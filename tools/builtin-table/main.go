// Command builtin-table writes the facts about the built-in kinds of Kubernetes that the embedded API
// server needs: the fields of their types, as the Go sources declare them, and the resources that serve
// them, as the discovery documents of the same release list them.
//
//	cd tools/builtin-table && go run . > ../../packages/kubernetes/src/types/table.json
//
// It reads the modules from the Go module cache, which `go mod download` fills on demand.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
)

const (
	libraries = "v0.36.3"
	release   = "v1.36.3"
)

var modules = []string{
	"k8s.io/api@" + libraries,
	"k8s.io/apimachinery@" + libraries,
	"k8s.io/apiextensions-apiserver@" + libraries,
	"k8s.io/kube-aggregator@" + libraries,
	"k8s.io/kubernetes@" + release,
}

// The packages whose types may occur, by the short name that the table gives them.
var packages = map[string]string{
	"meta.v1":            "k8s.io/apimachinery/pkg/apis/meta/v1",
	"types":              "k8s.io/apimachinery/pkg/types",
	"apiextensions.v1":   "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	"apiregistration.v1": "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1",
}

// The served group versions; a package of k8s.io/api is found by the part of its group before the dot,
// unless it is named here.
var served = []groupVersion{
	{Group: "", Version: "v1", Package: "core.v1"},
	{Group: "apiregistration.k8s.io", Version: "v1"},
	{Group: "apps", Version: "v1"},
	{Group: "events.k8s.io", Version: "v1"},
	{Group: "authentication.k8s.io", Version: "v1"},
	{Group: "authorization.k8s.io", Version: "v1"},
	{Group: "autoscaling", Version: "v2"},
	{Group: "autoscaling", Version: "v1"},
	{Group: "batch", Version: "v1"},
	{Group: "certificates.k8s.io", Version: "v1"},
	{Group: "networking.k8s.io", Version: "v1"},
	{Group: "policy", Version: "v1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1"},
	{Group: "storage.k8s.io", Version: "v1"},
	{Group: "admissionregistration.k8s.io", Version: "v1"},
	{Group: "apiextensions.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "coordination.k8s.io", Version: "v1"},
	{Group: "node.k8s.io", Version: "v1"},
	{Group: "discovery.k8s.io", Version: "v1"},
	{Group: "resource.k8s.io", Version: "v1"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"},
}

// Types that clients send or receive beside the objects of resources.
var metaKinds = []string{
	"DeleteOptions", "List", "PartialObjectMetadata", "PartialObjectMetadataList", "Status",
}

func main() {
	log.SetFlags(0)
	directories := map[string]string{}
	for _, module := range modules {
		directory, err := download(module)
		if err != nil {
			log.Fatalf("%s: %v", module, err)
		}
		path, _, _ := strings.Cut(module, "@")
		directories[path] = directory
	}
	for i := range served {
		gv := &served[i]
		if gv.Package == "" {
			short, _, _ := strings.Cut(gv.Group, ".")
			gv.Package = short + "." + gv.Version
		}
		if _, known := packages[gv.Package]; !known {
			packages[gv.Package] = "k8s.io/api/" + strings.ReplaceAll(gv.Package, ".", "/")
		}
	}

	reader := newTypeReader(directories)
	resources, err := readResources(directories["k8s.io/kubernetes"])
	if err != nil {
		log.Fatal(err)
	}
	for _, kind := range metaKinds {
		reader.reach("meta.v1", kind)
	}
	for _, resource := range resources {
		reader.reach(resource.packageName, resource.Kind)
		if reader.declares(resource.packageName, resource.Kind+"List") {
			reader.reach(resource.packageName, resource.Kind+"List")
		}
		for _, subresource := range resource.Subresources {
			// The options of exec, proxy and the like come as query parameters, never as a body.
			if strings.HasSuffix(subresource.Kind, "Options") {
				continue
			}
			if pkg, found := packageOf(subresource.Group, subresource.Version); found && reader.declares(pkg, subresource.Kind) {
				reader.reach(pkg, subresource.Kind)
			}
		}
	}
	types, err := reader.readAll()
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	writeTable(out, types, resources)
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func download(module string) (string, error) {
	output, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download: %w\n%s", err, output)
	}
	var downloaded struct{ Dir string }
	err = json.Unmarshal(output, &downloaded)
	return downloaded.Dir, err
}
