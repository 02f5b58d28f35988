export { Cleanup } from './cleanup.ts';
export { Member } from './crew.ts';
export { machineNow } from './machine-clock.ts';
export { bad, dim, good, ms, number, paint, type Style } from './paint.ts';
export { findPlace, needPlace, type Place } from './place.ts';
export { jsonDocument, runProgram, runToEnd } from './program.ts';
export { UsageError } from './redis-url.ts';
export { type ReportOf, Reports, type Told } from './reports.ts';
export { type Block, chooseStory, type MakeStory, type Story } from './story.ts';
