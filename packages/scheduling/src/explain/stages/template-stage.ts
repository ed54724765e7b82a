import type { JsonObject } from '@perigee/schema/json';
import { isFinished } from '../../interpreter/completion-checks.ts';
import { objectIn } from '../../interpreter/fields.ts';
import type { Binding } from '../../placement/binding/binding.ts';
import type { Finding } from '../finding.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

const BRAKES = [
  ['spec', 'suspend'],
  ['spec', 'runPolicy', 'suspend'],
  ['spec', 'paused'],
] as const;

/** The path of the field by which an object stops itself; undefined if it does not. */
export const brakeOf = (template: JsonObject): readonly string[] | undefined =>
  BRAKES.find((path) => objectIn(template, ...path.slice(0, -1))[path.at(-1) ?? ''] === true);

/** A pause that the object asks for itself; what has run to its end already is not paused. */
const pauseFinding = (template: JsonObject, { spec, status }: Binding): readonly Finding[] => {
  const brake = brakeOf(template);
  const items = status?.aggregatedStatus ?? [];
  const isOver = items.length > 0 && items.every((one) => isFinished(spec.resource, one.status));
  if (brake === undefined || isOver) return [];
  const base = { stage: 'template', reason: 'Paused', by: 'user' } as const;
  if (!brake.includes('paused')) {
    const message = `its own ${brake.join('.')} is true, so that it starts nothing`;
    return [{ ...base, severity: 'holds', message }];
  }
  const message = 'its own spec.paused is true, so that no change of it is rolled out';
  const isBehind = items.some(({ health }) => health === 'Unhealthy');
  return [{ ...base, severity: isBehind ? 'degrades' : 'info', message }];
};

/** Findings about the template itself. */
export const templateStage = ({
  template,
  binding,
  resource,
  similar: [nearName] = [],
}: WorkSnapshot): readonly Finding[] => {
  const currentBinding = read(binding, undefined);
  const base = { stage: 'template', by: 'user' } as const;
  if ('value' in template && template.value === undefined) {
    const { kind, namespace, name } = resource;
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
    const hint = nearName === undefined ? '' : `: did you mean ${nearName}?`;
    const message = `there is no ${kind} ${name}${where}${hint}`;
    return [{ ...base, reason: 'TemplateMissing', severity: 'holds', message }];
  }
  if (currentBinding === undefined) return [];
  const { spec, metadata } = currentBinding;
  const findings: Finding[] = [];
  const object = read(template, undefined);
  const deletedAt = object?.metadata.deletionTimestamp ?? metadata.deletionTimestamp;
  if (deletedAt !== undefined) {
    const finalizers = (object?.metadata.finalizers ?? []).filter(
      (name) => !name.startsWith('foregroundDeletion'),
    );
    const keepers =
      object?.metadata.deletionTimestamp === undefined || finalizers.length === 0
        ? ''
        : `; its finalizers keep it: ${finalizers.join(', ')}`;
    const message = `it is being deleted, and goes when all clusters have let go of it${keepers}`;
    findings.push({
      ...base,
      reason: 'TemplateGoing',
      severity: 'holds',
      message,
      since: deletedAt,
    });
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
  if (object !== undefined) findings.push(...pauseFinding(object as never, currentBinding));
  return findings;
};
