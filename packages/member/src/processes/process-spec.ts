import type { Container, Pod, PodSpec } from '@perigee/kubernetes/core/pod';

/** The fields of a pod about commands, variables and files. */

export interface KeyRef {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface FieldRef {
  readonly fieldPath: string;
}

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
    readonly fieldRef?: FieldRef;
  };
}

interface ObjectName {
  readonly name?: string;
  readonly optional?: boolean;
}

interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: ObjectName;
  readonly secretRef?: ObjectName;
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly readOnly?: boolean;
}

export interface ExecProbe {
  readonly exec?: { readonly command?: readonly string[] };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

export interface ProcessContainer extends Omit<Container, 'env' | 'volumeMounts'> {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly readinessProbe?: ExecProbe;
  readonly livenessProbe?: ExecProbe;
}

interface KeyToPath {
  readonly key: string;
  readonly path: string;
}

export interface KeyedSource extends ObjectName {
  readonly items?: readonly KeyToPath[];
}

export interface DownwardSource {
  readonly items?: readonly { readonly path: string; readonly fieldRef?: FieldRef }[];
}

export interface TokenSource {
  readonly path: string;
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export interface ProjectedSource {
  readonly serviceAccountToken?: TokenSource;
  readonly configMap?: KeyedSource;
  readonly secret?: KeyedSource;
  readonly downwardAPI?: DownwardSource;
}

export interface ProcessVolume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly configMap?: KeyedSource;
  readonly secret?: Omit<KeyedSource, 'name'> & { readonly secretName?: string };
  readonly downwardAPI?: DownwardSource;
  readonly projected?: { readonly sources?: readonly ProjectedSource[] };
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
}

interface ProcessSpec extends Omit<PodSpec, 'containers' | 'initContainers' | 'volumes'> {
  readonly containers: readonly ProcessContainer[];
  readonly initContainers?: readonly ProcessContainer[];
  readonly volumes?: readonly ProcessVolume[];
  readonly serviceAccountName?: string;
}

/** The spec with the fields that only a runtime needs. */
export const processSpecOf = ({ spec }: Pod): ProcessSpec => spec as ProcessSpec;
