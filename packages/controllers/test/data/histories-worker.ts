import { workerData } from 'node:worker_threads';
import { type Histories, runHistories } from './run-histories.ts';

for (const histories of workerData as readonly Histories[]) await runHistories(histories);
