import { notSupported } from '../errors.ts';
import { goJson } from '../go-text.ts';
import type { JsonValue } from '../json.ts';
import { sameJson } from '../same-json.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { renderPath, report, type Walk } from '../structural/walk.ts';

export type EnumCheck = (value: JsonValue, walk: Walk, since: number) => void;

/** Null is never one of the values, even when the list of them has it. */
export const enumCheck = (schema: StructuralSchema): EnumCheck | undefined => {
  const { enum: values = [] } = schema;
  if (values.length === 0) return undefined;
  const scalars = new Set(values.filter((value) => typeof value !== 'object'));
  const others = values.filter((value) => typeof value === 'object' && value !== null);
  const texts = values.map((value) => (typeof value === 'string' ? value : goJson(value)));
  return (value, walk, since) => {
    if (typeof value !== 'object') {
      if (scalars.has(value)) return;
    } else if (others.some((other) => sameJson(value, other))) return;
    report(walk, since, notSupported(renderPath(walk.path), value, texts));
  };
};
