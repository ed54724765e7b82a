import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { ConfigError } from '../errors.ts';

/** Reads the fields of one mapping in a file. Its errors name the entry and the file, never a value. */
export class Fields {
  /** The name of the mapping in error messages: `user "me" of /home/me/.kube/config`. */
  readonly where: string;
  readonly #object: JsonObject;

  constructor(value: unknown, where: string) {
    if (!isJsonObject(value))
      throw new ConfigError(`${where} must be a mapping of names to values`);
    this.where = where;
    this.#object = value;
  }

  value(name: string): JsonValue | undefined {
    return this.#object[name] ?? undefined;
  }

  /** Text; absent when empty, as Kubernetes treats it. */
  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw this.#wrong(name, 'text: put it in quotes');
    return value;
  }

  flag(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  texts(name: string): readonly string[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list of texts');
    return value.map((item) => {
      if (typeof item !== 'string') throw this.#wrong(name, 'a list of texts: put each in quotes');
      return item;
    });
  }

  fields(name: string): Fields | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : new Fields(value, `${name} of ${this.where}`);
  }

  /** A list of mappings. */
  list(name: string): readonly Fields[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list');
    return value.map((item, at) => new Fields(item, `entry ${at + 1} of ${name} of ${this.where}`));
  }

  names(): readonly string[] {
    return Object.keys(this.#object);
  }

  #wrong(name: string, kind: string): ConfigError {
    return new ConfigError(`${name} of ${this.where} must be ${kind}`);
  }
}
