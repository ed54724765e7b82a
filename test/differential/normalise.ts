import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { metadataOf } from './memory.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Part of the uids that requests make up; they are the same for every server. */
const MADE_UP = '-0000-4000-8000-';
const VERSION_IN_TEXT =
  /(ResourceVersion in (?:precondition: |object meta: |record \(|the precondition \()|\\*"resourceVersion\\*":\\*")(\d{2,})/g;
const GENERATED_ENDING = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])/g;
/** Addresses and ports that a server takes from its own ranges. */
const ALLOCATED_IP = /\b10\.(?:9[6-9]|10\d|11[01])\.\d{1,3}\.\d{1,3}\b/g;
const MANAGER_KEYS = ['operation', 'manager', 'apiVersion', 'subresource'] as const;

const managerKey = (entry: JsonValue): string =>
  isJsonObject(entry) ? MANAGER_KEYS.map((key) => entry[key] ?? '').join(' ') : '';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Gives out the same symbol for the same thing, numbered by first appearance. */
class Symbols {
  readonly #prefix: string;
  readonly #symbols = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(value: string): string {
    const knownSymbol = this.#symbols.get(value);
    if (knownSymbol !== undefined) return knownSymbol;
    const symbol = `<${this.#prefix} ${this.#symbols.size + 1}>`;
    this.#symbols.set(value, symbol);
    return symbol;
  }

  get values(): readonly string[] {
    return [...this.#symbols.keys()];
  }
}

/**
 * Takes out of the answers of one server what differs between any two servers: times, uids, versions,
 * generated names. Equal things stay equal, and unequal ones unequal.
 */
export class Normaliser {
  readonly #uids = new Symbols('uid');
  readonly #versions = new Symbols('version');
  readonly #names = new Map<string, string>();

  /** Finds the names that the server has made of this beginning. */
  learnNames(beginning: string, answer: JsonValue): void {
    const text = JSON.stringify(answer);
    for (const [ending] of text.matchAll(GENERATED_ENDING)) {
      const name = beginning + ending;
      if (!text.includes(name) || this.#names.has(name)) continue;
      this.#names.set(name, `<generated ${this.#names.size + 1}>`);
    }
  }

  /** The versions in the order of their first appearance. */
  get versions(): readonly number[] {
    return this.#versions.values.map(Number);
  }

  normalise(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.normalise(item));
    if (!isJsonObject(value)) return value;
    return this.#object(value);
  }

  #object(object: JsonObject): JsonObject {
    const isList = Array.isArray(object.items) && isJsonObject(object.metadata);
    const source = isList ? this.#sortedList(object) : object;
    // In the order of keys, so that symbols are numbered alike whatever order a server writes them in.
    const sortedFields = Object.entries(source).sort(([a], [b]) => byText(a, b));
    const entries = sortedFields.map(([key, value]) => [
      this.#text(key),
      this.#field(key, value ?? null),
    ]);
    return Object.fromEntries(entries);
  }

  #field(key: string, value: JsonValue): JsonValue {
    if (key === 'resourceVersion' && typeof value === 'string' && /^\d{2,}$/.test(value)) {
      return this.#versions.of(value);
    }
    if (key === 'managedFields' && Array.isArray(value)) {
      const sortedOwners = value.toSorted((a, b) => byText(managerKey(a), managerKey(b)));
      return this.normalise(sortedOwners);
    }
    if ((key === 'nodePort' || key === 'healthCheckNodePort') && Number(value) >= 30_000) {
      return '<port>';
    }
    return this.normalise(value);
  }

  /** Lists come in the order of names, which differs where servers make names up. */
  #sortedList(list: JsonObject): JsonObject {
    const nameOf = (item: JsonValue): string => this.#text(String(metadataOf(item).name));
    const items = (list.items as readonly JsonValue[]).toSorted((a, b) =>
      byText(nameOf(a), nameOf(b)),
    );
    return { ...list, metadata: { ...metadataOf(list), resourceVersion: '<list>' }, items };
  }

  #text(text: string): string {
    let result = text
      .replace(TIME, '<time>')
      .replace(ALLOCATED_IP, '<ip>')
      .replace(UUID, (uid) => (uid.includes(MADE_UP) ? uid : this.#uids.of(uid)))
      .replace(VERSION_IN_TEXT, (_, before, version) => before + this.#versions.of(version));
    for (const [name, symbol] of this.#names) result = result.replaceAll(name, symbol);
    return result;
  }
}
