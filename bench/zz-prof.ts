import { fork } from 'node:child_process';
const child = fork(new URL('./podgroup-run.ts', import.meta.url), [], { execArgv: ['--cpu-prof', '--cpu-prof-dir=/tmp/gt/prof', ...process.execArgv] });
child.on('message', (m) => { console.log(JSON.stringify(m)); child.disconnect(); });
child.send({ workloads: Number(process.argv[2] ?? 1000), podsOfEach: 10 });
