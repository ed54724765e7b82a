import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { CommandError } from '../src/errors.ts';
import { EXIT } from '../src/exit-codes.ts';
import { DEFAULTS, upOptions } from '../src/up/up-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-options-'));
after(() => rmSync(folder, { recursive: true }));

const configFile = (content: string): string => {
  const file = join(folder, 'perigee.yaml');
  writeFileSync(file, content);
  return file;
};

const processes = { runProcesses: true };

describe('the options of perigee up', () => {
  it('are the usual ones unless told otherwise', () => {
    assert.deepEqual(upOptions({}, undefined), DEFAULTS);
  });

  it('come from the command line before the file', () => {
    const file = configFile(
      `members: 5\nport: 1234\nephemeral: true\nrunProcesses: [member1]\nhostPaths: [${folder}]\n`,
    );
    const options = upOptions({ port: '4321', processNamespaces: 'team-a,team-b' }, file);
    assert.deepEqual(
      [options.members, options.port, options.ephemeral, options.runProcesses],
      [5, 4321, true, ['member1']],
    );
    assert.deepEqual(options.hostPaths, [resolve(folder)]);
    assert.deepEqual(options.processNamespaces, ['team-a', 'team-b']);
  });

  const refusals: readonly (readonly [JsonObject, RegExp])[] = [
    [{ members: 'three' }, /members must be a whole number from \d+ to \d+/],
    [{ members: '' }, /members must be a whole number/],
    [{ members: ' ' }, /members must be a whole number/],
    [{ members: -1 }, /members must be a whole number/],
    [{ nodes: 1.5 }, /nodes must be a whole number/],
    [{ port: 65_536 }, /port must be a whole number from 0 to 65535/],
    [{ port: null }, /port must be a whole number/],
    [{ data: '' }, /data must be a text that is not empty/],
    [{ data: 7 }, /data must be a text/],
    [{ moverImage: '' }, /moverImage must be a text/],
    [{ stagingStore: false }, /stagingStore must be a text/],
    [{ controllers: 1 }, /controllers must be a text/],
    [{ sharding: 'random' }, /sharding must be one of .+, /],
    [{ ephemeral: 'yes' }, /ephemeral must be true or false/],
    [{ failover: 1 }, /failover must be true or false/],
    [{ queueAll: 'true' }, /queueAll must be true or false/],
    [{ preemption: null }, /preemption must be true or false/],
    [{ reserveAfter: 'soon' }, /reserveAfter must be a time such as 90s/],
    [{ reserveAfter: '0s' }, /reserveAfter must be a time/],
    [{ runProcesses: 'member1' }, /runProcesses must be true, false, or a list/],
    [{ runProcesses: [1] }, /runProcesses must be true, false, or a list/],
    [{ ...processes, processNamespaces: '' }, /processNamespaces must be names of namespaces/],
    [{ ...processes, processNamespaces: ['Team A'] }, /processNamespaces must be names/],
    [{ processNamespaces: ['a'] }, /processNamespaces .* add --run-processes/],
    [{ ...processes, hostPaths: [''] }, /hostPaths must be folders/],
    [{ ...processes, hostPaths: ['/no/such/folder'] }, /there is no such folder/],
    [{ ...processes, hostPaths: [folder], data: join(folder, 'data') }, /the data of the control/],
    [{ hostPaths: [folder] }, /hostPaths .* add --run-processes/],
    [{ memberz: 3 }, /there is no option memberz; choose from data, /],
  ];
  for (const [given, message] of refusals) {
    it(`refuse ${JSON.stringify(given)}`, () => {
      assert.throws(
        () => upOptions(given, undefined),
        (error: unknown) => {
          assert.ok(error instanceof CommandError);
          assert.equal(error.code, EXIT.usage);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  it('name the file that is wrong', () => {
    const contents = [': [', '- members', 'members', '', 'members: many', 'members: 1\nmembers: 2'];
    for (const content of contents) {
      const file = configFile(content);
      assert.throws(
        () => upOptions({}, file),
        (error: unknown) => {
          assert.ok(error instanceof CommandError);
          assert.equal(error.code, EXIT.invalid, content);
          assert.ok(error.message.includes(file), error.message);
          return true;
        },
      );
    }
  });
});
