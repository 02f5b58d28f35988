export { Cleanup } from './cleanup.ts';
export { bad, dim, good, ms, number, paint, type Style } from './paint.ts';
export { findPlace, type Place } from './place.ts';
export { jsonDocument, type Program, runProgram } from './program.ts';
export { UsageError } from './redis-url.ts';
