// Uses a Kubernetes API server as controllers written in Go do, and says in one line what worked.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const namespace = "default"

var dataSources = schema.GroupVersionResource{
	Group: "datadependency.volcano.sh", Version: "v1alpha1", Resource: "datasources",
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: client-go SERVER informer|dynamic|apply|lead"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	config := &rest.Config{Host: os.Args[1], ContentConfig: rest.ContentConfig{
		ContentType:        "application/vnd.kubernetes.protobuf",
		AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json",
	}}
	scenarios := map[string]func(context.Context, *rest.Config) (string, error){
		"informer": informer, "dynamic": dynamically, "apply": apply, "lead": lead,
	}
	said, err := scenarios[os.Args[2]](ctx, config)
	if err != nil {
		fail(err)
	}
	fmt.Println(said)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// informer follows config maps through a shared informer, from before the first to after the last change.
func informer(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	maps := factory.Core().V1().ConfigMaps()
	seen := make(chan string, 16)
	_, err = maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { seen <- "added " + obj.(*corev1.ConfigMap).Data["n"] },
		UpdateFunc: func(_, obj any) { seen <- "updated " + obj.(*corev1.ConfigMap).Data["n"] },
		DeleteFunc: func(any) { seen <- "deleted" },
	})
	if err != nil {
		return "", err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	api := client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "followed"}, Data: map[string]string{"n": "1"}}
	if object, err = api.Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	said := <-seen
	object.Data["n"] = "2"
	if _, err = api.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
		return "", err
	}
	said += ", " + <-seen
	if _, err = api.Update(ctx, object, metav1.UpdateOptions{}); !errors.IsConflict(err) {
		return "", fmt.Errorf("an update of an old version should be a conflict, not %v", err)
	}
	if err = api.Delete(ctx, "followed", metav1.DeleteOptions{}); err != nil {
		return "", err
	}
	return said + ", " + <-seen, nil
}

// dynamically works on custom objects without knowing their type.
func dynamically(ctx context.Context, config *rest.Config) (string, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	systems := make(chan string, 1)
	_, err = factory.ForResource(dataSources).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			system, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "system")
			systems <- system
		},
	})
	if err != nil {
		return "", err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	source := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "datadependency.volcano.sh/v1alpha1",
		"kind":       "DataSource",
		"metadata":   map[string]any{"name": "orders"},
		"spec": map[string]any{
			"system": "hive", "type": "table", "name": "orders",
			"locality": map[string]any{"clusterNames": []any{"member1"}},
		},
	}}
	if _, err = client.Resource(dataSources).Create(ctx, source, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	return "found a table of " + <-systems, nil
}

// apply lets two managers apply the same field.
func apply(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	api := client.CoreV1().ConfigMaps(namespace)
	with := func(color string) *applycore.ConfigMapApplyConfiguration {
		return applycore.ConfigMap("applied", namespace).WithData(map[string]string{"color": color})
	}
	if _, err = api.Apply(ctx, with("blue"), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return "", err
	}
	_, err = api.Apply(ctx, with("red"), metav1.ApplyOptions{FieldManager: "two"})
	if !errors.IsConflict(err) {
		return "", fmt.Errorf("the second manager should be told of a conflict, not %v", err)
	}
	applied, err := api.Apply(ctx, with("red"), metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return "", err
	}
	mine, err := applycore.ExtractConfigMap(applied, "two")
	if err != nil {
		return "", err
	}
	return "two owns " + mine.Data["color"], nil
}

// lead has two candidates: the second leads when the first lets go.
func lead(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	leaders := make(chan string, 2)
	candidate := func(name string) context.CancelFunc {
		own, stop := context.WithCancel(ctx)
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "lead", Namespace: namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		go leaderelection.RunOrDie(own, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leaders <- name },
				OnStoppedLeading: func() {},
			},
		})
		return stop
	}
	stop := candidate("one")
	said := <-leaders
	defer candidate("two")()
	stop()
	return said + " leads, then " + <-leaders, nil
}
