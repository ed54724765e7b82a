import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import * as path from 'node:path';
import { describe, it } from 'node:test';
import { PackError } from '../../src/errors.ts';
import { scriptOf } from '../../src/functions/script.ts';
import type { StepFunction } from '../../src/functions/step-function.ts';

const CONTEXT = { data: '/data', dataset: 'raw', flow: 'train', step: 'count' };

const pack = (run: StepFunction, given: { readonly [name: string]: unknown } = {}): string =>
  scriptOf(run, CONTEXT, given);

/** Runs a script in a fresh scope, as node would; returns its last line of output. */
const runScript = async (script: string): Promise<unknown> => {
  const lines: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const console = {
    log: (line: string) => {
      lines.push(line);
      resolve();
    },
    error: (error: unknown) => {
      lines.push(JSON.stringify(String(error)));
      resolve();
    },
  };
  const require = createRequire(import.meta.url);
  new Function('require', 'console', 'process', script)(require, console, {});
  await promise;
  return JSON.parse(lines.at(-1) ?? 'null');
};

const result = (run: StepFunction, given = {}): Promise<unknown> => runScript(pack(run, given));

const refusal = (run: StepFunction, given = {}): string => {
  try {
    pack(run, given);
  } catch (error) {
    assert.ok(error instanceof PackError);
    return error.message;
  }
  return 'nothing';
};

const limit = 3;
const table = { names: ['a', 'b'], byName: new Map([['x', { deep: 1n }]]) };
const isEven = (n: number): boolean => n === 0 || isOdd(n - 1);
const isOdd = (n: number): boolean => n !== 0 && isEven(n - 1);
class Base {
  hello() {
    return 'hello';
  }
}
class Derived extends Base {
  #own = limit;
  own() {
    return this.#own + table.names.length;
  }
}
let counter = 0;

describe('a function as a script', () => {
  it('gets where its data is, and prints what it gives', async () => {
    assert.deepEqual(await result((context) => context), CONTEXT);
  });

  it('brings along what it closes over, of whatever scope', async () => {
    const inner = new Set([1, 2]);
    const make = (scale: number) => () => [scale, limit, [...inner], table.names, isEven(10)];
    assert.deepEqual(await result(make(7)), [7, 3, [1, 2], ['a', 'b'], true]);
  });

  it('brings classes, their bases, and maps of objects', async () => {
    const run = () => [
      new Derived().own(),
      new Derived().hello(),
      String(table.byName.get('x')?.deep),
    ];
    assert.deepEqual(await result(run), [5, 'hello', '1']);
  });

  it('imports modules of Node.js anew where it runs', async () => {
    const run = async () => [typeof readFile, path.posix.join('a', 'b'), os.EOL.length > 0];
    assert.deepEqual(await result(run), ['function', 'a/b', true]);
    assert.match(pack(run), /require\('node:fs\/promises'\)/);
  });

  it('knows its own variables from those around it', async () => {
    const text = `({ data: limit = '', ...rest }) => {
      for (var at = 0, found = later(); at < 1; at++);
      function later() { return { counter: 1, table: limit }; }
      outer: for (const one of [1]) if (one) break outer;
      try { throw new Error('x'); } catch ({ message }) { return [found, at, message, rest.step]; }
    }`;
    const run = new Function(`const counter = 5, table = 6; return (${text})`)();
    assert.deepEqual(await result(run), [{ counter: 1, table: '/data' }, 1, 'x', 'count']);
    assert.doesNotMatch(pack(run), /let (table|counter|limit)/);
  });

  it('takes values that are given before those that are found', async () => {
    assert.equal(await result(() => limit, { limit: 99 }), 99);
  });

  it('takes methods', async () => {
    const steps = {
      async count({ step }: { step: string }) {
        return `${step} ${limit}`;
      },
    };
    assert.equal(await result(steps.count), 'count 3');
  });

  it('ends with a failure that says why', async () => {
    const run = () => {
      throw new Error('no samples');
    };
    assert.equal(await result(run), 'Error: no samples');
  });
});

describe('a function that cannot be packed', () => {
  const instance = new Derived();
  const bound = isEven.bind(undefined);
  const secret = Symbol('s');
  const live = {
    get now() {
      return 1;
    },
  };
  const cases: readonly [string, StepFunction, RegExp][] = [
    ['assigns outside', () => (counter += 1), /assigns to counter, .* would change a copy/],
    ['is bound', () => bound(1), /→ bound is made by the runtime/],
    ['uses an instance', () => instance.own(), /→ instance is an instance of Derived/],
    ['uses a symbol', () => secret, /→ secret is a symbol/],
    ['uses a getter', () => live.now, /→ live → now is computed when it is read/],
    ['asks where its file is', () => import.meta.url, /uses import\.meta/],
    [
      'needs what nobody has',
      new Function('return (() => missing)')() as StepFunction,
      /uses missing, .* with: \{ missing \}/,
    ],
  ];
  for (const [name, run, why] of cases) {
    it(`is refused when it ${name}`, () => assert.match(refusal(run), why));
  }

  it('is refused when it is too large', () => {
    const large = 'x'.repeat(600_000);
    assert.match(
      refusal(() => large.length),
      /take 587 KiB, and 512 is the most/,
    );
  });

  it('is refused when it leads to a file that is not there', () => {
    const run = new Function("return (() => import('./other.js'))")() as StepFunction;
    assert.match(refusal(run), /imports \.\/other\.js, and that file is not where it runs/);
  });
});
