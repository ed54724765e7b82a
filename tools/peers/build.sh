#!/bin/sh
# Builds what the embedded API server is compared with, from the Go module proxy, into a folder:
#   tools/peers/build.sh FOLDER [kube-apiserver|kube-controller-manager|kubectl|etcd|helm|karmada-scheduler|karmada-controller-manager|karmada-webhook|karmada-scheduler-estimator|volcano-scheduler|volcano-controllers ...]
# Needs Go. Without names it builds the first five. What is there already is left alone.
set -eu

KUBERNETES=1.36.3
ETCD=3.6.8
HELM=3.19.0
KARMADA=1.18.2
VOLCANO=1.14.1
VOLCANO_APIS=1.14.0

if [ $# -lt 1 ]; then
  sed -n '2,4p' "$0" | sed 's/^# //' >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- kube-apiserver kube-controller-manager kubectl etcd helm

# The parts of Kubernetes are modules of their own; a module that uses the whole must name the version of each. The rest
# is what Kubernetes itself requires: to work that out anew would read a thousand modules.
kubernetes_module() {
  mkdir -p "$folder/src/kubernetes" && cd "$folder/src/kubernetes"
  if [ -f go.sum ]; then return; fi
  home=$(go mod download -json "k8s.io/kubernetes@v$KUBERNETES" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  {
    sed -e 's/^module .*/module peers/' -e '/=> \.\/staging/d' "$home/go.mod"
    echo "require k8s.io/kubernetes v$KUBERNETES"
    grep -oE 'k8s\.io/[a-z0-9-]+ => \./staging' "$home/go.mod" |
      grep -oE 'k8s\.io/[a-z0-9-]+' | sort -u |
      while read -r part; do echo "replace $part => $part v0.${KUBERNETES#*.}"; done
  } >go.mod
  cat "$home/go.sum" >go.sum
}

build_kubernetes() {
  kubernetes_module
  version=k8s.io/component-base/version
  go build -mod=mod -o "$folder/$1" \
    -ldflags "-X $version.gitVersion=v$KUBERNETES -X $version.gitMajor=1 -X $version.gitMinor=36" \
    "k8s.io/kubernetes/cmd/$1"
}

build_etcd() {
  mkdir -p "$folder/src/etcd" && cd "$folder/src/etcd"
  [ -f go.mod ] || go mod init peers
  cat >main.go <<'GO'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
GO
  go get "go.etcd.io/etcd/server/v3@v$ETCD"
  go mod tidy
  go build -o "$folder/etcd" .
}

build_helm() {
  mkdir -p "$folder/src/helm" && cd "$folder/src/helm"
  [ -f go.mod ] || go mod init peers
  go get "helm.sh/helm/v3/cmd/helm@v$HELM"
  go build -o "$folder/helm" helm.sh/helm/v3/cmd/helm
}

# Copies a module into the folder src/NAME: what its go.mod replaces counts only where it is the main one.
copy_module() {
  if [ -d "$folder/src/$1" ]; then return; fi
  home=$(go mod download -json "$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  mkdir -p "$folder/src"
  cp -R "$home" "$folder/src/$1"
  chmod -R u+w "$folder/src/$1"
}

build_karmada() {
  copy_module karmada "github.com/karmada-io/karmada@v$KARMADA"
  cd "$folder/src/karmada"
  # The estimator sends messages of Kubernetes, which are messages only with this tag.
  go build -mod=mod -tags kubernetes_protomessage_one_more_release -o "$folder/$1" "./cmd/${1#karmada-}"
}

# Its types are a module of their own. Its definitions are put beside it: its controllers wait for each of them.
build_volcano() {
  copy_module volcano "volcano.sh/volcano@v$VOLCANO"
  cd "$folder/src/volcano"
  go mod edit -replace "volcano.sh/apis=volcano.sh/apis@v$VOLCANO_APIS"
  mkdir -p "$folder/crds"
  cp config/crd/*/bases/*.yaml "$folder/crds"
  go build -mod=mod -o "$folder/$1" "./cmd/$2"
}

for peer in "$@"; do
  if [ -x "$folder/$peer" ]; then continue; fi
  echo "building $peer" >&2
  case $peer in
    etcd | helm) (build_"$peer") ;;
    karmada-scheduler | karmada-controller-manager | karmada-webhook | karmada-scheduler-estimator) (build_karmada "$peer") ;;
    volcano-scheduler) (build_volcano "$peer" scheduler) ;;
    volcano-controllers) (build_volcano "$peer" controller-manager) ;;
    kube-apiserver | kube-controller-manager | kubectl) (build_kubernetes "$peer") ;;
    *) echo "nobody knows how to build $peer" >&2 && exit 2 ;;
  esac
done
