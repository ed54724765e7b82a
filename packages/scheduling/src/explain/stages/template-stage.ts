import type { Finding } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

/** Findings about the template itself. */
export const templateStage = ({
  template,
  binding,
  resource,
  similar: [meant] = [],
}: WorkSnapshot): readonly Finding[] => {
  const present = read(binding, undefined);
  const base = { stage: 'template', by: 'user' } as const;
  if ('value' in template && template.value === undefined) {
    const { kind, namespace, name } = resource;
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
    const hint = meant === undefined ? '' : `: did you mean ${meant}?`;
    const message = `there is no ${kind} ${name}${where}${hint}`;
    return [{ ...base, reason: 'TemplateMissing', severity: 'holds', message }];
  }
  if (present === undefined) return [];
  const { spec, metadata } = present;
  const findings: Finding[] = [];
  const object = read(template, undefined);
  const going = object?.metadata.deletionTimestamp ?? metadata.deletionTimestamp;
  if (going !== undefined) {
    const message = 'it is being deleted, and goes when all clusters have let go of it';
    findings.push({ ...base, reason: 'TemplateGoing', severity: 'holds', message, since: going });
  }
  if (spec.placement === undefined) {
    const others = (spec.requiredBy ?? []).map(({ name }) => name);
    const message =
      others.length === 0
        ? 'it goes along with other work, and none of that has clusters'
        : `it goes wherever these go, which need it: ${others.join(', ')}`;
    const severity = others.length === 0 ? 'holds' : 'info';
    findings.push({ stage: 'policy', by: 'policy', reason: 'FollowsOthers', severity, message });
  }
  if (spec.replicas === 0) {
    const message = 'it asks for no replicas: spec.replicas is 0';
    findings.push({ ...base, reason: 'ScaledToZero', severity: 'info', message });
  }
  return findings;
};
