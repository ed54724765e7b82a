package main

import (
	"fmt"
	"math/rand"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func chance(r *rand.Rand, percent int) bool { return r.Intn(100) < percent }

func cpu(milli int) resource.Quantity {
	return *resource.NewMilliQuantity(int64(milli), resource.DecimalSI)
}

func memory(mebi int) resource.Quantity {
	return *resource.NewQuantity(int64(mebi)<<20, resource.BinarySI)
}

func number(n int) resource.Quantity { return *resource.NewQuantity(int64(n), resource.DecimalSI) }

// Grades of nodes, and how many nodes of each there are.
func drawModels(r *rand.Rand, cluster *clusterv1alpha1.Cluster) {
	cores := []int{0, 1, 2, 4, 8, 16}
	for grade := range len(cores) - 1 {
		cluster.Spec.ResourceModels = append(cluster.Spec.ResourceModels, clusterv1alpha1.ResourceModel{
			Grade: uint(grade),
			Ranges: []clusterv1alpha1.ResourceModelRange{
				{Name: corev1.ResourceCPU, Min: number(cores[grade]), Max: number(cores[grade+1])},
				{Name: corev1.ResourceMemory, Min: memory(cores[grade] * 4096), Max: memory(cores[grade+1] * 4096)},
			},
		})
		if chance(r, 80) {
			cluster.Status.ResourceSummary.AllocatableModelings = append(
				cluster.Status.ResourceSummary.AllocatableModelings,
				clusterv1alpha1.AllocatableModeling{Grade: uint(grade), Count: r.Intn(6)},
			)
		}
	}
}

func drawCluster(r *rand.Rand, name string, withModels bool) *clusterv1alpha1.Cluster {
	cores := 4 + r.Intn(60)
	cluster := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       clusterv1alpha1.ClusterSpec{Region: fmt.Sprintf("r%d", r.Intn(4))},
		Status: clusterv1alpha1.ClusterStatus{
			APIEnablements: []clusterv1alpha1.APIEnablement{{
				GroupVersion: "apps/v1",
				Resources:    []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}},
			}},
			ResourceSummary: &clusterv1alpha1.ResourceSummary{
				Allocatable: corev1.ResourceList{
					corev1.ResourceCPU: number(cores), corev1.ResourceMemory: memory(cores * 4096),
					corev1.ResourcePods: number(110 * (1 + r.Intn(3))),
				},
				Allocated: corev1.ResourceList{
					corev1.ResourceCPU: cpu(r.Intn(cores * 1000)), corev1.ResourceMemory: memory(r.Intn(cores * 4096)),
					corev1.ResourcePods: number(r.Intn(120)),
				},
			},
		},
	}
	if chance(r, 20) {
		cluster.Status.ResourceSummary.Allocatable["nvidia.com/gpu"] = number(r.Intn(16))
	}
	if withModels && chance(r, 90) {
		drawModels(r, cluster)
	}
	return cluster
}

func drawRequest(r *rand.Rand) corev1.ResourceList {
	list := corev1.ResourceList{corev1.ResourceCPU: cpu(50 * (1 + r.Intn(60)))}
	if chance(r, 70) {
		list[corev1.ResourceMemory] = memory(64 * (1 + r.Intn(64)))
	}
	if chance(r, 10) {
		list["nvidia.com/gpu"] = number(1 + r.Intn(2))
	}
	return list
}

func drawStrategy(r *rand.Rand) *policyv1alpha1.ReplicaSchedulingStrategy {
	divided := policyv1alpha1.ReplicaSchedulingTypeDivided
	switch r.Intn(4) {
	case 0:
		return &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDuplicated}
	case 1:
		return &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType:     divided,
			ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
		}
	case 2:
		return &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType:     divided,
			ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceWeighted,
		}
	default:
		return &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType:     divided,
			ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceWeighted,
			WeightPreference:          &policyv1alpha1.ClusterPreferences{DynamicWeight: policyv1alpha1.DynamicWeightByAvailableReplicas},
		}
	}
}

func oneCluster(r *rand.Rand) []policyv1alpha1.SpreadConstraint {
	most := 1
	if chance(r, 15) {
		most = 2
	}
	return []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: most}}
}

func drawComponents(r *rand.Rand) []workv1alpha2.Component {
	var components []workv1alpha2.Component
	for i := range 1 + r.Intn(4) {
		component := workv1alpha2.Component{Name: fmt.Sprintf("c%d", i), Replicas: int32(1 + r.Intn(5))}
		if chance(r, 90) {
			component.ReplicaRequirements = &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: drawRequest(r)}
		}
		components = append(components, component)
	}
	return components
}

func drawPeers(r *rand.Rand, clusters []*clusterv1alpha1.Cluster) []peer {
	var peers []peer
	for i := range r.Intn(4) {
		other := peer{Name: fmt.Sprintf("p%d", i), Clusters: []string{}}
		if chance(r, 60) {
			other.AffinityGroup = fmt.Sprintf("g=%d", r.Intn(2))
		}
		if chance(r, 60) {
			other.AntiAffinityGroup = fmt.Sprintf("a=%d", r.Intn(2))
		}
		for _, cluster := range clusters {
			if chance(r, 40) {
				other.Clusters = append(other.Clusters, cluster.Name)
			}
		}
		peers = append(peers, other)
	}
	return peers
}

func bindingOf(other peer) *workv1alpha2.ResourceBinding {
	binding := &workv1alpha2.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: other.Name, ResourceVersion: "1"},
		Spec: workv1alpha2.ResourceBindingSpec{WorkloadAffinityGroups: &workv1alpha2.WorkloadAffinityGroups{
			AffinityGroup: other.AffinityGroup, AntiAffinityGroup: other.AntiAffinityGroup,
		}},
	}
	for _, name := range other.Clusters {
		binding.Spec.Clusters = append(binding.Spec.Clusters, workv1alpha2.TargetCluster{Name: name, Replicas: 1})
	}
	return binding
}

// A case: every third with resource models, with several templates, with groups of workloads.
func draw(r *rand.Rand, i int) *vector {
	v := &vector{}
	for at := range 1 + r.Intn(8) {
		v.Clusters = append(v.Clusters, drawCluster(r, fmt.Sprintf("m%d", at), i%3 == 0 || chance(r, 30)))
	}
	v.Spec = workv1alpha2.ResourceBindingSpec{
		Resource: workv1alpha2.ObjectReference{
			APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "d",
			UID: types.UID(fmt.Sprintf("uid-%d", r.Intn(100))),
		},
		Placement: &policyv1alpha1.Placement{ReplicaScheduling: drawStrategy(r)},
	}
	if i%3 == 1 {
		v.Spec.Components = drawComponents(r)
		v.Spec.Placement.SpreadConstraints = oneCluster(r)
	} else {
		v.Spec.Replicas = int32(1 + r.Intn(120))
		v.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: drawRequest(r)}
	}
	if i%3 == 2 {
		v.Peers = drawPeers(r, v.Clusters)
		v.Spec.WorkloadAffinityGroups = &workv1alpha2.WorkloadAffinityGroups{}
		if chance(r, 60) {
			v.Spec.WorkloadAffinityGroups.AffinityGroup = fmt.Sprintf("g=%d", r.Intn(2))
		}
		if chance(r, 60) {
			v.Spec.WorkloadAffinityGroups.AntiAffinityGroup = fmt.Sprintf("a=%d", r.Intn(2))
		}
	}
	for _, cluster := range v.Clusters {
		if len(v.Spec.Components) == 0 && chance(r, 25) {
			v.Spec.Clusters = append(v.Spec.Clusters, workv1alpha2.TargetCluster{Name: cluster.Name, Replicas: int32(r.Intn(30))})
		}
	}
	return v
}
