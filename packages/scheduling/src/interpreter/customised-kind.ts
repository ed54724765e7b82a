import type {
  Customizations,
  ResourceInterpreterCustomization,
} from '@perigee/api/kinds/placement/resource-interpreter-customization';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { numberIn, objectIn, pick, withField } from './fields.ts';
import { componentOf, dependenciesOf, numberOr } from './frameworks/components.ts';
import { hasCondition } from './frameworks/joint-status.ts';
import type { KindInterpreter } from './interpreter.ts';
import { statusesOf } from './native/generations.ts';
import { podRequirements } from './pod-requirements.ts';

const wordsOf = (path: string): readonly string[] => path.split('.').slice(1);

const valueAt = (object: JsonObject, path: string): JsonValue | undefined => {
  const words = wordsOf(path);
  const last = words.at(-1) ?? '';
  return objectIn(object, ...words.slice(0, -1))[last];
};

const templateAt = (object: JsonObject, path: string): JsonObject =>
  objectIn(object, ...wordsOf(path));

type Part<Name extends keyof Customizations> = NonNullable<Customizations[Name]>;

const demandBy =
  ({ replicas, podTemplate }: Part<'replicaResource'>): KindInterpreter['demand'] =>
  (object) => {
    const count = numberOr(valueAt(object, replicas), 0);
    const template = podTemplate === undefined ? {} : templateAt(object, podTemplate);
    const requirements = podRequirements(objectIn(template, 'spec'));
    return requirements === undefined ? { replicas: count } : { replicas: count, requirements };
  };

const componentsBy =
  ({ components }: Part<'componentResource'>): KindInterpreter['components'] =>
  (object) =>
    components.map(({ name, replicas, podTemplate }) =>
      componentOf(
        name,
        replicas === undefined ? 1 : numberOr(valueAt(object, replicas), 1),
        templateAt(object, podTemplate),
      ),
    );

const retainBy =
  ({ fields }: Part<'retention'>): KindInterpreter['retain'] =>
  (desired, observed) =>
    fields.reduce((result, path) => {
      const value = valueAt(observed, path);
      return value === undefined ? result : withField(result, wordsOf(path), value);
    }, desired);

const healthBy =
  (rule: Part<'healthInterpretation'>): KindInterpreter['health'] =>
  (object) => {
    const { field, values = [], conditions = [] } = rule;
    if (object.status === undefined) return 'Unknown';
    const isRight = field === undefined || values.includes(String(valueAt(object, field) ?? ''));
    const status = objectIn(object, 'status');
    const isTrue = conditions.every((type) => hasCondition(status, type));
    return isRight && isTrue ? 'Healthy' : 'Unhealthy';
  };

/** Sums the configured counts; all other fields come from the first cluster. */
const aggregateBy =
  ({ sum }: Part<'statusAggregation'>): KindInterpreter['aggregate'] =>
  (template, items) => {
    const reports = statusesOf(items);
    const [first] = reports;
    if (first === undefined) return template;
    const sums = Object.fromEntries(
      sum.map((name) => [
        name,
        reports.reduce((total, status) => total + (numberIn(status, name) ?? 0), 0),
      ]),
    );
    const status = { ...first, ...sums };
    return sameJson(status, template.status) ? template : { ...template, status };
  };

/** The interpreter that a ResourceInterpreterCustomization defines. */
export const customisedKind = ({ spec }: ResourceInterpreterCustomization): KindInterpreter => {
  const { target, customizations } = spec;
  const { apiVersion, kind } = target;
  const { replicaResource, componentResource, replicaRevision, retention } = customizations;
  const { statusReflection, statusAggregation, healthInterpretation } = customizations;
  const templates = customizations.dependencyInterpretation?.podTemplates;
  return {
    apiVersion,
    kind,
    ...present({
      demand: replicaResource && demandBy(replicaResource),
      components: componentResource && componentsBy(componentResource),
      revise:
        replicaRevision &&
        ((object: JsonObject, replicas: number) =>
          withField(object, wordsOf(replicaRevision.replicas), replicas)),
      retain: retention && retainBy(retention),
      reflect:
        statusReflection &&
        ((object: JsonObject) =>
          object.status === undefined
            ? undefined
            : pick(objectIn(object, 'status'), statusReflection.fields)),
      aggregate: statusAggregation && aggregateBy(statusAggregation),
      health: healthInterpretation && healthBy(healthInterpretation),
      dependencies:
        templates &&
        ((object: JsonObject) =>
          dependenciesOf(
            object,
            templates.map((path) => templateAt(object, path)),
          )),
    }),
  } as KindInterpreter;
};
