import type { Handler } from '../state/machine.ts';
import { SILENT } from '../state/machine.ts';
import type { State } from '../state/state.ts';
import { uniteCwd } from '../state/state.ts';
import { parseOptions } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, placeField } from '../words/atom.ts';
import type { Path } from '../words/path.ts';
import { START, toPath } from '../words/path.ts';

/** `cd` and `pushd`: later commands run elsewhere, if it works. */
export const cd: Handler = ({ argv, frame }) => {
  const { operands } = parseOptions(argv.slice(1), {});
  const places = operands.length === 0 ? [placeField('home')] : operands;
  const back = literalOf(places[0]) === '-';
  move(
    frame.state,
    back ? frame.state.cwdBefore : uniteCwd(places.map((place) => targets(place, frame.state))),
  );
  return SILENT;
};

/** `popd` goes back to where the script came from. */
export const popd: Handler = ({ frame }) => {
  move(frame.state, uniteCwd([frame.state.cwdBefore, [START]]));
  return undefined;
};

function targets(field: Field, state: State): readonly Path[] {
  return uniteCwd([state.cwd.map((from) => toPath(field, from))]);
}

function move(state: State, to: readonly Path[]): void {
  state.cwdOnFailure = uniteCwd([state.cwdOnFailure, state.cwd]);
  state.cwdBefore = state.cwd;
  state.cwd = to;
}
