export interface LinkAttack {
  readonly name: string;
}
export const LINK_ATTACKS: readonly LinkAttack[];
export const RACES: readonly LinkAttack[];
