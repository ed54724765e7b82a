import { createRequire } from 'node:module';
import { types } from 'node:util';

/** Node.js modules whose exports functions may close over. */
const MODULES = [
  'assert',
  'buffer',
  'child_process',
  'crypto',
  'dns',
  'events',
  'fs',
  'fs/promises',
  'http',
  'https',
  'net',
  'os',
  'path',
  'perf_hooks',
  'process',
  'querystring',
  'readline',
  'readline/promises',
  'stream',
  'stream/promises',
  'string_decoder',
  'timers',
  'timers/promises',
  'tls',
  'url',
  'util',
  'v8',
  'worker_threads',
  'zlib',
];

/** Globals that exist in every script that node runs. */
export const GLOBALS: ReadonlySet<string> = new Set(
  `AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean
  BroadcastChannel Buffer ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto CryptoKey DOMException
  DataView Date DecompressionStream Error EvalError Event EventTarget FinalizationRegistry Float32Array Float64Array
  FormData Function Headers Infinity Int16Array Int32Array Int8Array Intl JSON Map Math MessageChannel MessageEvent
  MessagePort NaN Number Object Performance Promise Proxy RangeError ReadableStream ReferenceError Reflect RegExp
  Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextDecoderStream TextEncoder
  TextEncoderStream TransformStream TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WritableStream atob btoa clearImmediate clearInterval
  clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval fetch global
  globalThis isFinite isNaN parseFloat parseInt performance process queueMicrotask require setImmediate setInterval
  setTimeout structuredClone undefined unescape`.split(/\s+/),
);

let expressions: Map<unknown, string> | undefined;

const isNoted = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);

/** Built-in values and the expressions that name them; the first name of a value wins. */
const allExpressions = (): Map<unknown, string> => {
  const all = new Map<unknown, string>();
  const note = (value: unknown, code: string): void => {
    if (isNoted(value) && !all.has(value)) all.set(value, code);
  };
  for (const name of GLOBALS) {
    const value = (globalThis as { readonly [name: string]: unknown })[name];
    note(value, name);
    if (typeof value !== 'function' && name !== 'Math' && name !== 'JSON' && name !== 'Reflect')
      continue;
    for (const field of Object.getOwnPropertyNames(value)) {
      const { value: member } = Object.getOwnPropertyDescriptor(value, field) ?? {};
      if (typeof member === 'function') note(member, `${name}.${field}`);
    }
  }
  const require = createRequire(import.meta.url);
  for (const name of MODULES) {
    const module = require(`node:${name}`) as { readonly [name: string]: unknown };
    note(module, `require('node:${name}')`);
    for (const [field, { value }] of Object.entries(Object.getOwnPropertyDescriptors(module))) {
      note(value, `require('node:${name}').${field}`);
    }
  }
  return all;
};

/** The expression for a value that Node.js or the language provides; undefined for others. */
export const builtInExpression = (value: unknown): string | undefined => {
  expressions ??= allExpressions();
  const plain = types.isModuleNamespaceObject(value)
    ? ((value as { readonly default?: unknown }).default ?? value)
    : value;
  return expressions.get(plain);
};
