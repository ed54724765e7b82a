import { invalid, required } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { compileVisit, type Visit } from '../structural/visit.ts';
import { renderPath, type Walk } from '../structural/walk.ts';
import {
  checkDns1035Label,
  checkDnsLabel,
  checkLabelValue,
  checkQualifiedName,
} from '../values/names.ts';

type Problems = readonly string[];

const apiVersionProblems = (value: string): Problems =>
  value.split('/').length > 2 ? [`unexpected GroupVersion string: ${value}`] : [];

const kindProblems = (value: string): Problems => {
  const problems = checkDns1035Label(value.toLowerCase());
  return problems.length === 0
    ? []
    : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
};

const nameProblems = (value: string): Problems => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%']
    .filter((char) => value.includes(char))
    .map((char) => `may not contain '${char}'`);
};

const checkTypeField = (
  object: JsonObject,
  name: 'apiVersion' | 'kind',
  problemsOf: (value: string) => Problems,
  walk: Walk,
): void => {
  const path = `${renderPath(walk.path)}.${name}`;
  const value = object[name];
  if (value === undefined) walk.errors.push(required(path));
  else if (typeof value !== 'string') walk.errors.push(invalid(path, value, 'must be a string'));
  else if (value === '') walk.errors.push(invalid(path, value, 'must not be empty'));
  else for (const problem of problemsOf(value)) walk.errors.push(invalid(path, value, problem));
};

const checkMetadata = (metadata: JsonValue, walk: Walk): void => {
  const path = `${renderPath(walk.path)}.metadata`;
  const add = (field: string, value: JsonValue, problems: Problems): void => {
    for (const problem of problems) walk.errors.push(invalid(`${path}.${field}`, value, problem));
  };
  if (!isJsonObject(metadata)) {
    walk.errors.push(invalid(path, metadata, 'must be an object'));
    return;
  }
  const { name, namespace, labels } = metadata;
  if (typeof name === 'string') add('name', name, nameProblems(name));
  if (typeof namespace === 'string' && namespace !== '') {
    add('namespace', namespace, checkDnsLabel(namespace));
  }
  if (!isJsonObject(labels)) return;
  for (const [key, value] of Object.entries(labels)) {
    add('labels', key, checkQualifiedName(key));
    if (typeof value === 'string') add('labels', value, checkLabelValue(value));
  }
};

const resourceVisit: Visit = (value, walk) => {
  if (!isJsonObject(value)) return;
  checkTypeField(value, 'apiVersion', apiVersionProblems, walk);
  checkTypeField(value, 'kind', kindProblems, walk);
  if (value.metadata !== undefined) checkMetadata(value.metadata, walk);
};

/** Checks that an embedded Kubernetes object has the form of one. */
export const compileEmbeddedResources = (schema: StructuralSchema): Visit | undefined =>
  compileVisit(schema, (node) =>
    node['x-kubernetes-embedded-resource'] ? resourceVisit : undefined,
  );
