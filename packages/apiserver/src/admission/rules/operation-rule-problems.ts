import { duplicate, type FieldError, invalid, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { textsAt } from '@perigee/schema/json-fields';

type Errors = readonly FieldError[];

/** A list in which a star must be the only item. */
const starAlone = (rule: JsonObject, name: string, path: string, what: string): Errors => {
  const items = textsAt(rule, name);
  if (items.length === 0) return [required(`${path}.${name}`)];
  return items.length > 1 && items.includes('*')
    ? [invalid(`${path}.${name}`, items, `if '*' is present, must not specify other ${what}`)]
    : [];
};

const emptyItems = (rule: JsonObject, name: string, path: string): Errors =>
  textsAt(rule, name).flatMap((item, at) =>
    item === '' ? [required(`${path}.${name}[${at}]`)] : [],
  );

const partProblems = (items: readonly string[], path: string): Errors => {
  const wholes = new Set<string>();
  const parts = new Set<string>();
  return items.flatMap((item, at) => {
    if (item === '') return [required(`${path}[${at}]`)];
    const slash = item.indexOf('/');
    if (slash < 0) return [];
    const [resource, part] = [item.slice(0, slash), item.slice(slash + 1)];
    const must = (text: string): FieldError =>
      invalid(`${path}[${at}]`, item, `if '${text}' is present, must not specify ${item}`);
    const errors = [
      ...(wholes.has(resource) ? [must(`${resource}/*`)] : []),
      ...(parts.has(part) ? [must(`*/${part}`)] : []),
    ];
    if (part === '*') wholes.add(resource);
    if (resource === '*') parts.add(part);
    return errors;
  });
};

const resourceProblems = (rule: JsonObject, path: string): Errors => {
  const at = `${path}.resources`;
  const items = textsAt(rule, 'resources');
  const whole = items.filter((item) => item !== '' && !item.includes('/'));
  return [
    ...(items.length === 0 ? [required(at)] : []),
    ...partProblems(items, at),
    ...(items.length > 1 && items.includes('*/*')
      ? [invalid(at, items, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(items.includes('*') && whole.length > 0 && whole.at(-1) !== '*'
      ? [
          invalid(
            at,
            items,
            "if '*' is present, must not specify other resources without subresources",
          ),
        ]
      : []),
  ];
};

/** Problems of a rule that matches requests. */
export const operationRuleProblems = (rule: JsonObject, path: string): Errors => [
  ...textsAt(rule, 'resourceNames').flatMap((name, at, names) =>
    names.indexOf(name) < at ? [duplicate(`${path}.resourceNames[${at}]`, name)] : [],
  ),
  ...starAlone(rule, 'operations', path, 'operations'),
  ...starAlone(rule, 'apiGroups', path, 'API groups'),
  ...starAlone(rule, 'apiVersions', path, 'API versions'),
  ...emptyItems(rule, 'apiVersions', path),
  ...resourceProblems(rule, path),
];
