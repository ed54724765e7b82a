package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type groupVersion struct {
	Group   string
	Version string
	Package string
}

type resource struct {
	Group        string        `json:"group"`
	Version      string        `json:"version"`
	Kind         string        `json:"kind"`
	Type         string        `json:"type"`
	Plural       string        `json:"plural"`
	Singular     string        `json:"singular"`
	Namespaced   bool          `json:"namespaced"`
	ShortNames   []string      `json:"shortNames,omitempty"`
	Categories   []string      `json:"categories,omitempty"`
	Verbs        []string      `json:"verbs"`
	Subresources []subresource `json:"subresources,omitempty"`
	packageName  string
}

type subresource struct {
	Name    string   `json:"name"`
	Group   string   `json:"group"`
	Version string   `json:"version"`
	Kind    string   `json:"kind"`
	Verbs   []string `json:"verbs"`
}

func packageOf(group, version string) (string, bool) {
	for _, gv := range served {
		if gv.Group == group && gv.Version == version {
			return gv.Package, true
		}
	}
	return "", false
}

// readResources reads the discovery documents that a release keeps with its sources.
func readResources(kubernetes string) ([]*resource, error) {
	var all []*resource
	for _, gv := range served {
		name := "apis__" + gv.Group + "__" + gv.Version + ".json"
		if gv.Group == "" {
			name = "api__" + gv.Version + ".json"
		}
		bytes, err := os.ReadFile(filepath.Join(kubernetes, "api", "discovery", name))
		if err != nil {
			return nil, err
		}
		var document struct {
			Resources []struct {
				Name, SingularName, Kind, Group, Version string
				Namespaced                               bool
				ShortNames, Categories, Verbs            []string
			}
		}
		if err := json.Unmarshal(bytes, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		byPlural := map[string]*resource{}
		for _, entry := range document.Resources {
			if strings.Contains(entry.Name, "/") {
				continue
			}
			found := &resource{
				Group: gv.Group, Version: gv.Version, Kind: entry.Kind,
				Type: gv.Package + "." + entry.Kind, packageName: gv.Package,
				Plural: entry.Name, Singular: entry.SingularName, Namespaced: entry.Namespaced,
				ShortNames: entry.ShortNames, Categories: entry.Categories, Verbs: entry.Verbs,
			}
			byPlural[entry.Name] = found
			all = append(all, found)
		}
		for _, entry := range document.Resources {
			plural, name, isSub := strings.Cut(entry.Name, "/")
			if !isSub {
				continue
			}
			parent, known := byPlural[plural]
			if !known {
				return nil, fmt.Errorf("%s: %s has no resource of its own", name, entry.Name)
			}
			sub := subresource{Name: name, Group: gv.Group, Version: gv.Version, Kind: entry.Kind, Verbs: entry.Verbs}
			if entry.Version != "" {
				sub.Group, sub.Version = entry.Group, entry.Version
			}
			parent.Subresources = append(parent.Subresources, sub)
		}
	}
	return all, nil
}
