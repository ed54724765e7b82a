import type { StatefulSet } from '@perigee/kubernetes/apps/stateful-set';
import type { PersistentVolumeClaimWritten } from '@perigee/kubernetes/core/persistent-volume-claim';
import type { Pod, PodTemplate, PodWritten } from '@perigee/kubernetes/core/pod';
import { present, unlessEmpty } from '@perigee/schema/present';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { REVISION_LABEL } from '../revisions/ensure-revision.ts';

const ORDINAL = /-(\d+)$/;

export const ordinalOf = ({ metadata }: Pod): number => {
  const ordinal = ORDINAL.exec(metadata.name)?.[1];
  return ordinal === undefined ? -1 : Number(ordinal);
};

export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[REVISION_LABEL] ?? '';

const claimName = (set: StatefulSet, template: PersistentVolumeClaimWritten, ordinal: number) =>
  `${template.metadata.name}-${set.metadata.name}-${ordinal}`;

/** The claims of an ordinal, which outlive its pods. */
export const claimsFor = (
  set: StatefulSet,
  ordinal: number,
): readonly PersistentVolumeClaimWritten[] =>
  (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
    },
  }));

export const statefulPod = (
  set: StatefulSet,
  ordinal: number,
  template: PodTemplate,
  revision: string,
): PodWritten => {
  const name = `${set.metadata.name}-${ordinal}`;
  const { metadata, spec } = podFromTemplate(set, template, name);
  const claims = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const names = new Set(claims.map((volume) => volume.name));
  const volumes = [...claims, ...(spec.volumes ?? []).filter((volume) => !names.has(volume.name))];
  const { serviceName } = set.spec;
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [REVISION_LABEL]: revision,
        'apps.kubernetes.io/pod-index': String(ordinal),
        'statefulset.kubernetes.io/pod-name': name,
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...present({ subdomain: serviceName, volumes: unlessEmpty(volumes) }),
    },
  };
};
