import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { temporaryFolder } from '../store/engines.ts';
import { call, list } from './api-calls.ts';
import { CONFIG_MAPS, change, GADGETS, type Load, runClient } from './crash-load.ts';
import {
  DEFINITIONS,
  Definitions,
  definitionOf,
  untilEstablished,
  untilGone,
} from './definition-load.ts';
import { Ledger, revisionOf } from './ledger.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { WatchLog } from './watch-log.ts';

const ROUNDS = Number(process.env.PERIGEE_CRASH_ROUNDS ?? 3);
const SEED = Number(process.env.PERIGEE_CRASH_SEED ?? 1);
const CLIENTS = 16;
const MOST_ANSWERS = 400;

class World {
  readonly ledger = new Ledger();
  readonly definitions = new Definitions();
  readonly logs = [CONFIG_MAPS, GADGETS].map(
    ({ collection }) => new WatchLog(collection, this.ledger),
  );
  readonly #random = seededRandom(SEED);
  #marks = 0;
  /** The state that the server began with. */
  #restartedAt = 0;

  async begin({ url }: ServerProcess): Promise<void> {
    await call(url, 'POST', '/api/v1/namespaces', { metadata: { name: 'crash' } });
    await call(url, 'POST', DEFINITIONS, definitionOf('gadgets', 'Gadget'));
    await untilEstablished(url, 'gadgets.crash.example.com');
    for (const log of this.logs) await log.rebase(url);
  }

  /** Holds what the server has now against everything that it told before. */
  async verify({ url }: ServerProcess): Promise<void> {
    const { ledger, definitions } = this;
    const { established, doomed } = definitions;
    const collections = [CONFIG_MAPS, GADGETS, ...established.map(({ place }) => place)];
    // The first answers: whatever was established before the crash is served with them.
    for (const { collection } of collections) {
      const { objects, revision } = await list(url, collection);
      ledger.verify(collection, objects);
      ledger.restart(revision);
      if (collection === CONFIG_MAPS.collection) this.#restartedAt = revision;
    }
    for (const { name } of doomed.splice(0)) {
      await this.#endOf(url, name);
      ledger.intend(`${DEFINITIONS}/${name}`, { removes: true });
    }
    const { objects } = await list(url, DEFINITIONS);
    const ours = objects.filter(({ metadata }) => metadata.name.endsWith('.crash.example.com'));
    ledger.verify(DEFINITIONS, ours, true);
  }

  /** Lets the watches go on from before the crash, or from a list when they are told 410. */
  async resume(server: ServerProcess) {
    const { url } = server;
    const hasSeenAll = this.logs.map(({ since }) => since >= this.#restartedAt);
    const following = await Promise.all(this.logs.map((log) => log.follow(url)));
    const marks = await Promise.all([CONFIG_MAPS, GADGETS].map((place) => this.#mark(url, place)));
    return Promise.all(
      this.logs.map(async (log, at) => {
        const follow = following[at]!;
        const caughtUp = log.reached(marks[at]!).then(() => 'resumed' as const);
        const outcome = await Promise.race([follow.end, caughtUp]);
        if (outcome === 'resumed') {
          log.resumed += 1;
          log.checkCopy((await list(url, log.collection)).objects);
          return follow;
        }
        assert.equal(outcome, 'expired');
        assert.ok(!hasSeenAll[at], 'a watch that had seen everything was told 410');
        log.expired += 1;
        await log.rebase(url);
        return log.follow(url);
      }),
    );
  }

  /** Works until the server is killed: in the midst of it, or when all have come to rest. */
  async work(server: ServerProcess, isAtRest: boolean): Promise<void> {
    const { url } = server;
    const { ledger } = this;
    const limit = ledger.acknowledged + Math.floor(this.#random() * MOST_ANSWERS);
    const isOver = () => ledger.acknowledged >= limit;
    const load: Load = {
      url,
      ledger,
      random: this.#random,
      isOver: () => isAtRest && isOver(),
      onAnswer: () => void (!isAtRest && isOver() && server.kill()),
    };
    const clients = Array.from({ length: CLIENTS }, (_, at) => runClient(load, `c${at}`));
    await Promise.all([...clients, this.definitions.run(load)]);
    if (isAtRest) await this.#rest(server);
  }

  /** Kills the server when a watch has seen everything, also what controllers of the server wrote meanwhile. */
  async #rest(server: ServerProcess): Promise<void> {
    const { url } = server;
    const [configMaps] = this.logs;
    for (;;) {
      const mark = await this.#mark(url, CONFIG_MAPS);
      await configMaps!.reached(mark);
      const { revision } = await list(url, `${CONFIG_MAPS.collection}?limit=1`);
      if (revision === mark) return server.kill();
    }
  }

  async #mark(url: string, place: typeof CONFIG_MAPS): Promise<number> {
    this.#marks += 1;
    const load = { url, ledger: this.ledger, random: this.#random, isOver: () => false };
    const name = `mark-${this.#marks % 2}`;
    const path = `${place.collection}/${name}`;
    const how = this.ledger.newest(path) === undefined ? 'POST' : 'merge';
    await change({ ...load, onAnswer: () => {} }, place, name, how);
    return revisionOf(this.ledger.newest(path)!);
  }

  /** A deletion whose request was not answered may not have begun. */
  async #endOf(url: string, name: string): Promise<void> {
    await call(url, 'DELETE', `${DEFINITIONS}/${name}`);
    await untilGone(url, name);
  }
}

test(`a server that is killed loses nothing that it told: ${ROUNDS} rounds`, async (t) => {
  const folder = temporaryFolder();
  const world = new World();
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await startServerProcess(folder);
    if (round === 0) await world.begin(server);
    await world.verify(server);
    const watches = await world.resume(server);
    await world.work(server, round % 3 === 1);
    await Promise.all(watches.map(({ end }) => end));
    for (const log of world.logs) log.checkEvents();
  }
  await using server = await startServerProcess(folder);
  await world.verify(server);
  const told = world.logs.map(({ resumed, expired }) => `${resumed} resumed, ${expired} expired`);
  t.diagnostic(`${world.ledger.acknowledged} answers; watches: ${told.join('; ')}`);
  // How many go on is left to chance: controllers of the server may write between the last event and the end.
  assert.ok(world.ledger.acknowledged > ROUNDS);
});
