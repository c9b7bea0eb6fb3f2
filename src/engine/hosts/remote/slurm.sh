# How relay.sh opens a connection to a cluster of Slurm: a command that somebody waits for is a job of srun, one that nobody
# waits for a job of sbatch; later connections are steps of the same job, on the same node. When the job is over, what it
# wrote is read here: nodes of a cluster share their users' homes. $nacre_slurm: the words of the user, for both.

nacre_slurm_look() { # the job of this run, while the cluster knows it: nacre_job, nacre_job_state
  nacre_job= nacre_job_state=
  read -r nacre_job nacre_job_state < <(squeue --noheader --user="$UID" --name="nacre-$nacre_id" --format='%A %T' 2>/dev/null)
}

nacre_far_open() { # $1: task; our input is what a bash over there is to run
  case $1 in
    start)
      # Where runs are is known here: homes are shared.
      if [[ -z $nacre_far_at ]]; then "${nacre_client[@]}"; elif [[ $nacre_watch == nobody ]]; then nacre_slurm_submit; else nacre_slurm_start; fi
      ;;
    kill)
      scancel --quiet --user="$UID" --name="nacre-$nacre_id"
      ;;
    *) nacre_slurm_join "$1" ;;
  esac
}

nacre_slurm_start() {
  srun --ntasks=1 --unbuffered --quiet --input=0 --kill-on-bad-exit=0 --job-name="nacre-$nacre_id" "${nacre_slurm[@]}" "${nacre_client[@]}"
}

nacre_slurm_submit() { # it is started as soon as it is in the queue: nobody waits for it
  local mark=NACRE_END_$nacre_id
  {
    printf '#!/usr/bin/env bash\nexec %s <<%s\n' "${nacre_client[*]@Q}" "'$mark'"
    cat
    printf '\n%s\n' "$mark"
  } | sbatch --quiet --parsable --ntasks=1 --no-requeue --output=/dev/null --job-name="nacre-$nacre_id" "${nacre_slurm[@]}" >/dev/null &&
    printf 'nacre started 0\n' >&2
}

nacre_slurm_join() { # a step beside the command, or where it was
  while nacre_slurm_look; [[ $nacre_job_state == PENDING || $nacre_job_state == CONFIGURING ]]; do
    # It has not begun, so it is not told to end: it never begins.
    [[ $1 == attach ]] || { scancel --quiet "$nacre_job"; return; }
    sleep 0.5
  done
  if [[ $nacre_job_state == RUNNING ]]; then
    srun --jobid="$nacre_job" --overlap --nodes=1 --ntasks=1 --unbuffered --quiet --input=0 "${nacre_client[@]}"
  else
    SLURM_JOB_ID=over "${nacre_client[@]}"
  fi
}
