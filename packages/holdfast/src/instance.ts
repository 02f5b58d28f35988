/** What the locks and semaphores of one Holdfast instance share. */
import type { Engine } from './engine.ts';
import type { Introduction } from './introduction.ts';
import type { WaitingRoom } from './waiting/waiting-room.ts';

export interface Instance {
  readonly engine: Engine;
  readonly room: WaitingRoom;
  readonly introduction: Introduction;
}
