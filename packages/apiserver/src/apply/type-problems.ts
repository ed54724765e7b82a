import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { UntypedError } from '../errors.ts';
import { itemElement } from './list-items.ts';
import { describePath, fieldElement } from './path-element.ts';
import { kindOf } from './value-kind.ts';
import type { ListType, MapType, ValueType } from './value-type.ts';

const scalarProblem = (value: JsonValue, scalar: ValueType['scalar']): string | undefined => {
  if (value === null) return undefined;
  const valueText = JSON.stringify(value);
  if (scalar === 'any') {
    return typeof value === 'object' ? `expected any scalar, got ${valueText}` : undefined;
  }
  if ((typeof value === 'bigint' ? 'number' : typeof value) === scalar) return undefined;
  return `expected ${scalar === 'number' ? 'numeric (int or float)' : scalar}, got ${valueText}`;
};

class Checker {
  readonly problems: string[] = [];
  readonly #path: string[] = [];

  check(value: JsonValue, type: ValueType): void {
    const kind = kindOf(value, type);
    if (value === null) return;
    if (kind === 'map' && type.map !== undefined) {
      if (isJsonObject(value)) this.#checkMap(value, type.map);
      else this.#report(`expected map, got ${JSON.stringify(value)}`);
    } else if (kind === 'list' && type.list !== undefined) {
      if (Array.isArray(value)) this.#checkList(value, type.list);
      else this.#report(`expected list, got ${JSON.stringify(value)}`);
    } else {
      const problem = scalarProblem(value, type.scalar);
      if (problem !== undefined) this.#report(problem);
    }
  }

  #checkMap(map: { readonly [key: string]: JsonValue | undefined }, type: MapType): void {
    for (const key of Object.keys(map)) {
      const value = map[key];
      if (value === undefined) continue;
      this.#path.push(fieldElement(key));
      const field = type.field(key);
      if (field === undefined) this.#report('field not declared in schema');
      else this.check(value, field);
      this.#path.pop();
    }
  }

  #checkList(items: readonly JsonValue[], type: ListType): void {
    const elements = new Set<string>();
    for (const [index, item] of items.entries()) {
      const element = this.#elementOf(item, index, type);
      if (element === undefined) return;
      if (elements.has(element))
        this.#report(`duplicate entries for key ${describePath([element])}`);
      elements.add(element);
      this.#path.push(element);
      this.check(item, type.item);
      this.#path.pop();
    }
  }

  #elementOf(item: JsonValue, index: number, type: ListType): string | undefined {
    if (type.relation === 'atomic') return `i:${index}`;
    try {
      return itemElement(item, type);
    } catch (error) {
      if (!(error instanceof UntypedError)) throw error;
      this.#report(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  #report(problem: string): void {
    const path = describePath(this.#path);
    this.problems.push(path === '' ? problem : `${path}: ${problem}`);
  }
}

/** Why a value does not fit its type; empty when it does. */
export const typeProblems = (value: JsonValue, type: ValueType): readonly string[] => {
  const checker = new Checker();
  checker.check(value, type);
  return checker.problems;
};
