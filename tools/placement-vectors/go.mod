module perigee.dev/tools/placement-vectors

go 1.25.10

require (
	github.com/karmada-io/karmada v1.18.2
	k8s.io/api v0.35.3
	k8s.io/apimachinery v0.35.3
	k8s.io/client-go v0.35.3
)
