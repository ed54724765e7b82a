import asyncHooks from 'node:async_hooks';

const idle = { enable: () => idle, disable: () => idle };

/**
 * Loaded before every test file of a run. The test runner follows each promise from its birth to its end, a tenth of
 * the time of all tests, only to name the test that left an error uncaught. Here such an error fails the file;
 * the file alone, by `node --test`, names the test.
 */
Object.assign(asyncHooks, { createHook: () => idle });
