import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import { isTrueAt, nodeAt, propertyAt, type SchemaNode, textAt, textsAt } from './schema-node.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';

const mustHaveType = (
  node: SchemaNode,
  path: string,
  type: string,
  extension: string,
): readonly FieldError[] => {
  const actual = textAt(node, 'type');
  if (actual === type) return [];
  const detail = `must be ${type} if ${extension} is specified`;
  return [
    actual === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, actual, detail),
  ];
};

const mapTypeProblems = (node: SchemaNode, path: string): readonly FieldError[] => {
  const mapType = textAt(node, MAP_TYPE);
  if (mapType === '') return [];
  const mapTypes = ['atomic', 'granular'];
  return [
    ...mustHaveType(node, path, 'object', MAP_TYPE),
    ...(mapTypes.includes(mapType) ? [] : [notSupported(`${path}.${MAP_TYPE}`, mapType, mapTypes)]),
  ];
};

/** The elements of a set are compared as a whole, so nothing in them may have a separate owner. */
const setProblems = (items: SchemaNode, path: string): readonly FieldError[] => {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = textAt(items, LIST_TYPE);
  switch (textAt(items, 'type')) {
    case 'array':
      return listType === '' || listType === 'atomic'
        ? []
        : [invalid(`${path}.items.${LIST_TYPE}`, listType, detail)];
    case 'object':
      return textAt(items, MAP_TYPE) === 'atomic'
        ? []
        : [invalid(`${path}.items.${MAP_TYPE}`, listType === '' ? null : listType, detail)];
    default:
      return [];
  }
};

const keyProblems = (items: SchemaNode, keys: readonly string[], path: string): FieldError[] => {
  const errors: FieldError[] = [];
  const visitedKeys = new Set<string>();
  const isObject = textAt(items, 'type') === 'object';
  const itemRequires = new Set(textsAt(items, 'required'));
  for (const key of keys) {
    const at = `${path}.items.properties[${key}]`;
    const property = propertyAt(items, key);
    if (property === undefined) {
      if (!isObject) continue;
      const detail = 'entries must all be names of item properties';
      errors.push(invalid(`${path}.${MAP_KEYS}`, keys, detail));
    } else {
      const because = 'this property is in x-kubernetes-list-map-keys, so it';
      if (isObject && ['array', 'object'].includes(textAt(property, 'type'))) {
        const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalid(`${at}.type`, textAt(items, 'type'), detail));
      }
      if (!itemRequires.has(key) && (property.default ?? null) === null) {
        const detail = `${because} must have a default or be a required property`;
        errors.push(required(`${at}.default`, detail));
      }
      if (isTrueAt(property, 'nullable')) {
        errors.push(forbidden(`${at}.nullable`, `${because} cannot be nullable`));
      }
    }
    if (isObject && visitedKeys.has(key)) {
      errors.push(invalid(`${path}.${MAP_KEYS}`, keys, 'must not contain duplicate entries'));
    }
    visitedKeys.add(key);
  }
  return errors;
};

const mapProblems = (node: SchemaNode, path: string): readonly FieldError[] => {
  const keys = textsAt(node, MAP_KEYS);
  const items = nodeAt(node, 'items');
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    errors.push(required(`${path}.${MAP_KEYS}`, detail));
  }
  if (node.items === undefined) {
    const detail = 'must have a schema if x-kubernetes-list-type is map';
    errors.push(required(`${path}.items`, detail));
  }
  if (items === undefined) return errors;
  const type = textAt(items, 'type');
  if (type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${path}.items.type`, type, detail));
  }
  return [...errors, ...keyProblems(items, keys, path)];
};

/** Problems of the merge keywords of a list or map. */
export const listTypeProblems = (node: SchemaNode, path: string): readonly FieldError[] => {
  const listType = textAt(node, LIST_TYPE);
  const items = nodeAt(node, 'items');
  const listTypes = ['atomic', 'set', 'map'];
  const errors = [...mapTypeProblems(node, path)];
  if (listType !== '') {
    const wrongType = mustHaveType(node, path, 'array', LIST_TYPE);
    errors.push(...wrongType);
    if (wrongType.length === 0 && listType === 'set' && items) {
      errors.push(...setProblems(items, path));
    }
    if (!listTypes.includes(listType)) {
      errors.push(notSupported(`${path}.${LIST_TYPE}`, listType, listTypes));
    }
  }
  if (textsAt(node, MAP_KEYS).length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.${LIST_TYPE}`;
    errors.push(listType === '' ? required(at, detail) : invalid(at, listType, detail));
  }
  if (items && isTrueAt(items, 'nullable') && ['set', 'map'].includes(listType)) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(`${path}.items.nullable`, detail));
  }
  if (listType === 'map') errors.push(...mapProblems(node, path));
  return errors;
};
