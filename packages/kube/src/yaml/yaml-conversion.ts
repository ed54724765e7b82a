import { goFloat, goNumber, goQuote } from '@perigee/schema/go-text';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { isJsonObject } from '@perigee/schema/json';
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Scalar, type YAMLMap } from 'yaml';
import { YamlError } from '../errors.ts';
import { resolvePlain, resolveTagged, type YamlScalar } from './resolve-scalar.ts';

/** As many values may come from aliases; more is an attempt to exhaust the memory. */
const MOST_ALIASED_VALUES = 100_000;

/** Code that walks values may recurse so deep without harm. */
const DEEPEST = 1000;
const MOST_DUPLICATES = 100;

const scalarOf = (scalar: Scalar): YamlScalar => {
  const source = typeof scalar.value === 'string' ? scalar.value : (scalar.source ?? '');
  if (scalar.tag !== undefined) return resolveTagged(source, scalar.tag);
  return scalar.type === undefined || scalar.type === 'PLAIN' ? resolvePlain(source) : source;
};

const keyText = (key: YamlScalar): string => {
  if (typeof key === 'number') return goNumber(key);
  if (key === null) throw new YamlError('yaml: unsupported map key: null');
  return String(key);
};

const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && key.value === '<<' && key.type === 'PLAIN' && key.tag === undefined;

/** Turns the nodes of one document into JSON, and remembers its anchors and duplicate keys. */
export class YamlConversion {
  readonly duplicateKeys: string[] = [];
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, { readonly value: JsonValue; readonly size: number }>();
  readonly #open = new Set<string>();
  #values = 0;
  #aliased = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  convert(node: unknown, depth = 0): JsonValue {
    if (depth > DEEPEST) throw new YamlError('yaml: exceeded max depth');
    this.#values += 1;
    if (isAlias(node)) return this.#valueOfAlias(node.source);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor === undefined) return this.#valueOf(node, depth);
    const before = this.#values;
    this.#open.add(anchor);
    const value = this.#valueOf(node, depth);
    this.#open.delete(anchor);
    this.#anchors.set(anchor, { value, size: this.#values - before + 1 });
    return value;
  }

  #valueOf(node: unknown, depth: number): JsonValue {
    if (isMap(node)) return this.#objectOf(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
    if (!isScalar(node)) return null;
    const value = scalarOf(node);
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    throw new YamlError(`json: unsupported value: ${goFloat(value)}`);
  }

  #valueOfAlias(name: string): JsonValue {
    if (this.#open.has(name)) throw new YamlError(`yaml: anchor '${name}' value contains itself`);
    const target = this.#anchors.get(name);
    if (target === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    this.#values += target.size;
    this.#aliased += target.size;
    if (this.#aliased <= MOST_ALIASED_VALUES) return target.value;
    throw new YamlError('yaml: document contains excessive aliasing');
  }

  #objectOf(map: YAMLMap, depth: number): JsonObject {
    const own = new Map<string, JsonValue>();
    const mergedDocuments: JsonObject[] = [];
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        mergedDocuments.push(...this.#mergedObjects(value, depth));
        continue;
      }
      const name = this.#nameOf(key, depth);
      if (own.has(name)) this.#reportDuplicate(key, name);
      own.set(name, this.convert(value, depth + 1));
    }
    const inherited = mergedDocuments.flatMap((object) => Object.entries(object)).toReversed();
    // Built from entries, which makes even `__proto__` a field of its own.
    return Object.fromEntries([...inherited, ...own]) as JsonObject;
  }

  #nameOf(key: unknown, depth: number): string {
    const plain = isScalar(key) ? scalarOf(key) : this.convert(key, depth + 1);
    if (key !== null && typeof plain === 'object' && plain !== null) {
      throw new YamlError(`yaml: invalid map key: ${JSON.stringify(plain)}`);
    }
    return keyText(plain as YamlScalar);
  }

  #mergedObjects(value: unknown, depth: number): readonly JsonObject[] {
    const source = this.convert(value, depth + 1);
    const objects = Array.isArray(source) ? (source as readonly JsonValue[]) : [source];
    if (objects.every(isJsonObject)) return objects;
    throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
  }

  #reportDuplicate(key: unknown, name: string): void {
    if (this.duplicateKeys.length >= MOST_DUPLICATES) return;
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
    const { line } = this.#lines.linePos(offset);
    this.duplicateKeys.push(`line ${line}: key ${goQuote(name)} already set in map`);
  }
}
