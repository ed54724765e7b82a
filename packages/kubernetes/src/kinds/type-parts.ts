import { builtinTable, fieldsNamed, structNamed } from '../types/table.ts';
import { parseType, type TypeExpression } from '../types/type-expression.ts';

/** A field that holds values of a struct, alone or in a list or map. */
export interface TypePart {
  readonly name: string;
  readonly form: 'one' | 'list' | 'map';
  readonly type: string;
}

const partOf = (name: string, type: TypeExpression): TypePart | undefined => {
  switch (type.form) {
    case 'pointer':
      return partOf(name, type.of);
    case 'named':
      return { name, form: 'one', type: type.name };
    default:
      return type.of.form === 'named' ? { name, form: type.form, type: type.of.name } : undefined;
  }
};

const isStruct = (name: string): boolean => {
  const type = builtinTable().types[name];
  return type !== undefined && 'fields' in type;
};

/** The parts of a struct that are structs. What an object reports about itself is not among them. */
export const structPartsOf = (typeName: string): readonly TypePart[] => {
  const { isObject = false } = structNamed(typeName);
  return fieldsNamed(typeName).flatMap(({ name, type }) => {
    if (isObject && (name === 'status' || name === 'metadata')) return [];
    const part = partOf(name, parseType(type));
    return part !== undefined && isStruct(part.type) ? [part] : [];
  });
};

/** True if a struct, or one within it, is among those named. */
export const reaches = (typeName: string, names: ReadonlySet<string>): boolean => {
  const visited = new Set<string>();
  const visit = (name: string): boolean => {
    if (names.has(name)) return true;
    if (visited.has(name)) return false;
    visited.add(name);
    return structPartsOf(name).some(({ type }) => visit(type));
  };
  return visit(typeName);
};
