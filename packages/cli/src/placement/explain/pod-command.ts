import type { WorkExplanation } from '@perigee/scheduling/explain/explain-work';

/** Pods that have run: their logs explain more than their status. */
const HAS_RUN: ReadonlySet<string> = new Set(['CrashLoop', 'PodFailed', 'PodsNotReady']);

/** The command that shows more of a pod that does not run; undefined if no pod was read. */
export const podCommand = ({ findings, resource }: WorkExplanation): string | undefined => {
  const sick = findings.find(
    ({ stage, severity, details }) =>
      stage === 'pods' && severity !== 'info' && Array.isArray(details?.pods),
  );
  const [first] = (sick?.details?.pods ?? []) as readonly string[];
  if (sick === undefined || first === undefined) return undefined;
  const [cluster, pod] = first.split('/');
  const verb = HAS_RUN.has(sick.reason) ? `logs ${pod} --all-containers` : `describe pod ${pod}`;
  return `kubectl --context=${cluster} -n ${resource.namespace ?? 'default'} ${verb}`;
};
