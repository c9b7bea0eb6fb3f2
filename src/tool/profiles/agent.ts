import { toAgentView } from '../../engine/output/view/agent-view.ts';
import { WINDOW_SIZES } from '../../engine/output/window-sizes.ts';
import type { Printed, Shown } from '../outcome/shown.ts';
import { toOutput } from '../outcome/shown.ts';
import { agentDescription } from './agent-description.ts';
import { toAgentRequest } from './agent-input.ts';
import { agentSchema } from './agent-schema.ts';
import { shapeFinished, shapeRefused, shapeStarted } from './agent-shape.ts';
import type { Profile } from './profile.ts';

/** The default contract: one merged output, structured details, jobs. */
export const agent: Profile = {
  name: 'agent',
  streams: 'merged',
  window: WINDOW_SIZES.agent,
  movesCd: true,
  disarms: true,
  maxCommandLength: 1_048_576,
  background: { field: 'async', value: true },
  inputSchema: agentSchema,
  describe: agentDescription,
  toRequest: toAgentRequest,
  show,
  shapeFinished,
  shapeStarted,
  shapeRefused,
};

async function show({ out, ...options }: Printed): Promise<Shown> {
  const view = await toAgentView(out, options);
  return { output: toOutput(view), truncation: view.truncation, apart: null };
}
