import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { AuditEvent } from '../../src/audit/audit-event.ts';
import { AuditFile, type AuditFileOptions } from '../../src/audit/audit-file.ts';
import { serveApi } from '../http/http-fixture.ts';

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Writes the lines and tells how many were lost. */
const writeAll = async (options: AuditFileOptions, lines: readonly string[]): Promise<number> => {
  let lost = 0;
  await using file = await AuditFile.open(options, (count) => {
    lost += count;
  });
  for (const line of lines) file.write(line);
  return lost;
};

describe('an audit file', () => {
  it('has a line for each event, and only its owner can read it', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'audit.log');
      {
        await using api = await serveApi({ server: { audit: { to: { path } } } });
        await api.call('GET', '/version');
        await api.call('GET', '/api');
      }
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
      const uris = lines.map((line) => (JSON.parse(line) as AuditEvent).requestURI);
      assert.deepEqual(uris, ['/version', '/api']);
      assert.equal(statSync(path).mode & 0o777, 0o600);
    }));

  it('goes on with the file that is there, and closes it to others', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'audit.log');
      writeFileSync(path, 'before\n');
      chmodSync(path, 0o644);
      await writeAll({ path }, ['after']);
      assert.equal(readFileSync(path, 'utf8'), 'before\nafter\n');
      assert.equal(statSync(path).mode & 0o777, 0o600);
    }));

  it('begins another file when one is full, and keeps the last few', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'audit.log');
      for (const line of ['1', '2', '3', '4']) {
        await writeAll({ path, maxBytes: 2, keep: 2 }, [line]);
      }
      const files = readdirSync(folder).sort();
      const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
      assert.deepEqual(files, ['audit.log', 'audit.log.1', 'audit.log.2']);
      assert.deepEqual(texts, ['', '4\n', '3\n']);
    }));

  it('drops what is too much, and tells how much that was', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'audit.log');
      const lines = Array.from({ length: 10 }, (_, at) => `line ${at}`);
      const lost = await writeAll({ path, maxWaitingBytes: 30 }, lines);
      assert.equal(lost, 6);
      assert.equal(readFileSync(path, 'utf8'), 'line 0\nline 1\nline 2\nline 3\n');
    }));

  it('refuses a file that it cannot write', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'nowhere', 'audit.log');
      await assert.rejects(writeAll({ path }, []), /cannot write the audit log: ENOENT/);
    }));
});
