#!/usr/bin/env node
// JavaScript: of TypeScript, the first file is stripped of its types before the cache is there that makes that quick.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./program.ts');
