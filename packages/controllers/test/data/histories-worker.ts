import { parentPort, workerData } from 'node:worker_threads';
import { runHistories } from './run-histories.ts';

await runHistories(workerData);
parentPort?.postMessage('done');
