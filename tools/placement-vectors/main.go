// Writes decisions of Karmada's scheduler as JSON lines. See README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/features"
	clusterlister "github.com/karmada-io/karmada/pkg/generated/listers/cluster/v1alpha1"
	schedulercache "github.com/karmada-io/karmada/pkg/scheduler/cache"
	"github.com/karmada-io/karmada/pkg/scheduler/core"
	"github.com/karmada-io/karmada/pkg/scheduler/framework/plugins"
	"github.com/karmada-io/karmada/pkg/util/indexregistry"
	"k8s.io/client-go/tools/cache"
)

// What one line holds.
type vector struct {
	Clusters []*clusterv1alpha1.Cluster         `json:"clusters"`
	Spec     workv1alpha2.ResourceBindingSpec   `json:"spec"`
	Status   workv1alpha2.ResourceBindingStatus `json:"status"`
	Peers    []peer                             `json:"peers,omitempty"`
	Result   []workv1alpha2.TargetCluster       `json:"result"`
	Err      string                             `json:"err,omitempty"`
}

// Another binding, as far as groups are concerned.
type peer struct {
	Name              string   `json:"name"`
	AffinityGroup     string   `json:"affinityGroup,omitempty"`
	AntiAffinityGroup string   `json:"antiAffinityGroup,omitempty"`
	Clusters          []string `json:"clusters"`
}

func groupIndexers() cache.Indexers {
	by := func(group func(*workv1alpha2.WorkloadAffinityGroups) string) cache.IndexFunc {
		return func(obj any) ([]string, error) {
			groups := obj.(*workv1alpha2.ResourceBinding).Spec.WorkloadAffinityGroups
			if groups == nil || group(groups) == "" {
				return nil, nil
			}
			return []string{group(groups)}, nil
		}
	}
	return cache.Indexers{
		indexregistry.ResourceBindingIndexByAffinityGroup: by(func(g *workv1alpha2.WorkloadAffinityGroups) string {
			return g.AffinityGroup
		}),
		indexregistry.ResourceBindingIndexByAntiAffinityGroup: by(func(g *workv1alpha2.WorkloadAffinityGroups) string {
			return g.AntiAffinityGroup
		}),
	}
}

// Asks the real scheduler.
func decide(v *vector) error {
	clusters := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, cluster := range v.Clusters {
		if err := clusters.Add(cluster); err != nil {
			return err
		}
	}
	bindings := cache.NewIndexer(cache.MetaNamespaceKeyFunc, groupIndexers())
	for _, other := range v.Peers {
		if err := bindings.Add(bindingOf(other)); err != nil {
			return err
		}
	}
	scheduler, err := core.NewGenericScheduler(
		schedulercache.NewCache(clusterlister.NewClusterLister(clusters), bindings, time.Minute),
		plugins.NewInTreeRegistry(),
	)
	if err != nil {
		return err
	}
	spec, status := v.Spec.DeepCopy(), v.Status.DeepCopy()
	result, err := scheduler.Schedule(context.Background(), spec, status, &core.ScheduleAlgorithmOption{})
	if err != nil {
		v.Err = err.Error()
		return nil
	}
	v.Result = result.SuggestedClusters
	return nil
}

func main() {
	seed := flag.Int64("seed", 1, "decides what is drawn")
	count := flag.Int("count", 450, "how many cases")
	flag.Parse()
	gates := map[string]bool{"MultiplePodTemplatesScheduling": true, "WorkloadAffinity": true}
	if err := features.FeatureGate.SetFromMap(gates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	random := rand.New(rand.NewSource(*seed))
	for i := range *count {
		v := draw(random, i)
		if err := decide(v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
