import type { DaemonSet } from '@perigee/kubernetes/apps/daemon-set';
import type { Node } from '@perigee/kubernetes/core/node';
import type { NodeTerm } from '@perigee/kubernetes/core/node-affinity';
import type { Pod, PodSpec, PodWritten } from '@perigee/kubernetes/core/pod';
import type { Toleration } from '@perigee/kubernetes/core/taint';
import { present } from '@perigee/schema/present';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { REVISION_LABEL } from '../revisions/ensure-revision.ts';
import { matchesNode } from '../scheduler/node-terms.ts';
import { untolerated } from '../scheduler/tolerates.ts';

/** Servers still write it, and pods still carry it. */
const GENERATION = 'deprecated.daemonset.template.generation';

const tolerate = (name: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect,
});

/** Daemons run on unhealthy nodes, too. */
const TOLERATIONS: readonly Toleration[] = [
  tolerate('not-ready', 'NoExecute'),
  tolerate('unreachable', 'NoExecute'),
  tolerate('disk-pressure', 'NoSchedule'),
  tolerate('memory-pressure', 'NoSchedule'),
  tolerate('pid-pressure', 'NoSchedule'),
  tolerate('unschedulable', 'NoSchedule'),
];

const tolerationsOf = ({ tolerations = [], hostNetwork }: PodSpec): readonly Toleration[] => [
  ...tolerations,
  ...TOLERATIONS,
  ...(hostNetwork ? [tolerate('network-unavailable', 'NoSchedule')] : []),
];

/** Decides if a daemon may be scheduled on a node, and if one that runs there may stay. */
export const fitsNode = (
  { spec }: DaemonSet,
  node: Node,
): { readonly shouldRun: boolean; readonly mayStay: boolean } => {
  const pod = spec.template.spec;
  const { name, labels = {} } = node.metadata;
  if (!matchesNode(pod, labels, name)) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(pod);
  const taints = node.spec?.taints ?? [];
  const isRepelled = untolerated(taints, tolerations, ['NoSchedule', 'NoExecute']) !== undefined;
  const isExpelled = untolerated(taints, tolerations, ['NoExecute']) !== undefined;
  return { shouldRun: !isRepelled, mayStay: !isExpelled };
};

const onlyOn = (name: string, { matchExpressions }: NodeTerm): NodeTerm => ({
  ...present({ matchExpressions }),
  matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
});

/** A pod with required node affinity to one node. */
export const daemonPod = (set: DaemonSet, node: string, hash: string): PodWritten => {
  const { metadata, spec } = podFromTemplate(set, set.spec.template);
  const generation = set.metadata.annotations?.[GENERATION];
  const affinity = spec.affinity?.nodeAffinity;
  const { nodeSelectorTerms = [{}] } =
    affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [REVISION_LABEL]: hash,
        ...present({ 'pod-template-generation': generation }),
      },
    },
    spec: {
      ...spec,
      tolerations: tolerationsOf(spec),
      affinity: {
        ...spec.affinity,
        nodeAffinity: {
          ...affinity,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: nodeSelectorTerms.map((term) => onlyOn(node, term)),
          },
        },
      },
    },
  };
};

/** The node of a daemon, assigned or by its affinity. */
export const nodeOf = ({ spec }: Pod): string => {
  if (spec.nodeName) return spec.nodeName;
  const requiredAffinity =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of requiredAffinity?.nodeSelectorTerms ?? []) {
    const [name] = matchFields.find(({ key }) => key === 'metadata.name')?.values ?? [];
    if (name !== undefined) return name;
  }
  return '';
};
