import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { startS3 } from '../../mover/test/support/s3-server.ts';
import { perigee } from './command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-verify-'));
after(() => rmSync(folder, { recursive: true }));

const verify = (place: string, ...more: readonly string[]) =>
  perigee(['backup', 'verify', place, ...more]);

/** A backup of one file, whose manifest says these things of it. */
const makeBackup = (name: string, manifest: object): string => {
  const place = join(folder, name);
  mkdirSync(join(place, 'data'), { recursive: true });
  writeFileSync(join(place, 'data', 'one'), 'content');
  const usual = { version: 1, time: '2026-01-01T00:00:00Z', files: 1, bytes: 7, about: {} };
  writeFileSync(join(place, 'manifest.json'), JSON.stringify({ ...usual, ...manifest }));
  return place;
};

/** The digest that the data has, as the refusal of a wrong one tells. */
const digestOf = async (place: string): Promise<string> => {
  const { stderr } = await verify(place);
  const [digest = ''] = /tree1:\S+$/.exec(stderr.trim()) ?? [];
  return digest;
};

describe('perigee backup verify', async () => {
  const damaged = makeBackup('damaged', { digest: 'tree1:other' });
  const digest = await digestOf(damaged);

  it('says with the code 6 what a damaged backup was, and what it is', async () => {
    const { code, stdout, stderr } = await verify(damaged);
    assert.deepEqual([code, stdout], [6, '']);
    assert.match(
      stderr,
      /^perigee: the backup is damaged: .* of 1 files with tree1:other, and now/,
    );
    assert.match(digest, /^tree1:./);
  });

  it('tells people and programs of an intact one', async () => {
    const place = makeBackup('intact', { digest });
    const [text, json, yaml] = await Promise.all([
      verify(place),
      verify(place, '-o', 'json'),
      verify(place, '-o', 'yaml'),
    ]);
    assert.deepEqual([text.code, json.code, yaml.code], [0, 0, 0]);
    assert.equal(text.stdout, `intact: 1 files, 7B, made at 2026-01-01T00:00:00Z, ${digest}\n`);
    const { isIntact, files, bytes } = JSON.parse(json.stdout);
    assert.deepEqual([isIntact, files, bytes], [true, 1, 7]);
    assert.deepEqual(parse(yaml.stdout), JSON.parse(json.stdout));
  });

  it('believes no manifest that is none, and follows no link in its place', async () => {
    const place = makeBackup('linked', { digest });
    rmSync(join(place, 'manifest.json'));
    const missing = await verify(place);
    assert.equal(missing.code, 3, missing.stderr);
    symlinkSync(join(damaged, 'manifest.json'), join(place, 'manifest.json'));
    const linked = await verify(place);
    assert.notEqual(linked.code, 0);
    const cases: readonly object[] = [
      { digest: 7 },
      { version: 2, digest },
      { digest: 'sha256:x' },
    ];
    for (const [at, manifest] of cases.entries()) {
      const { code, stderr } = await verify(makeBackup(`wrong-${at}`, manifest));
      assert.equal(code, 6, stderr);
      assert.match(stderr, /is no manifest of a backup/);
    }
  });

  it('says how to give keys when a bucket refuses a request without', async () => {
    await using s3 = await startS3();
    const bucket = ['s3://bkt/backups/default/sales', '--endpoint', s3.endpoint] as const;
    const unsigned = await verify(...bucket);
    assert.match(unsigned.stderr, /asked without keys: .* --access-key-file and --secret-key-file/);
    const keys = ['access', 'secret'].map((name) => join(folder, `${name}-key`));
    for (const file of keys) writeFileSync(file, 'wrong', { mode: 0o600 });
    const [access = '', secret = ''] = keys;
    const signed = await verify(
      ...bucket,
      '--access-key-file',
      access,
      '--secret-key-file',
      secret,
    );
    assert.equal(signed.code, 4, signed.stderr);
    assert.doesNotMatch(signed.stderr, /without keys/);
  });

  it('lets a manifest not command the terminal', async () => {
    const time = '\u001b[2J\u009b31m\nintact';
    const { code, stdout } = await verify(makeBackup('evil', { digest, time }));
    assert.equal(code, 0);
    assert.doesNotMatch(stdout.trimEnd(), /\p{Cc}/u);
  });
});
