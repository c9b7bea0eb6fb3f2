# How remote-client.sh opens a connection to a cluster of Slurm: a command that somebody waits for is a job of srun, one that nobody
# waits for a job of sbatch; later connections are steps of the same job, on the same node. When the job is over, what it
# wrote is read here: nodes of a cluster share their users' homes. $nacre_slurm: the words of the user, for both.
#
# $nacre_array: the name of an array, $nacre_array_task: our number in it, $nacre_array_spec: all of them, if it is ours to submit.

nacre_slurm_name=nacre-${nacre_array:-$nacre_id}

nacre_slurm_look() { # the job of this run, while the cluster knows it: nacre_job, nacre_job_state, nacre_job_name; fails when nobody answers
  local list job state name task
  nacre_job= nacre_job_state= nacre_job_name=
  list=$(squeue --array --noheader --user="$UID" --name="$nacre_slurm_name" --format='%A %T %i %K') || return
  while read -r job state name task; do
    [[ -z ${nacre_array-} || $task == "$nacre_array_task" ]] || continue
    nacre_job=$job nacre_job_state=$state nacre_job_name=$name
  done <<<"$list"
}

nacre_far_open() { # $1: task; our input is what a bash over there is to run
  case $1 in
    start)
      # Where runs are is known here: homes are shared.
      if [[ -z $nacre_far_at ]]; then "${nacre_client[@]}"
      elif [[ -n ${nacre_array-} && -z $nacre_array_spec ]]; then cat >/dev/null; printf 'nacre started 0\n' >&2
      elif [[ $nacre_watch == nobody ]]; then nacre_slurm_submit
      else nacre_slurm_start
      fi
      ;;
    kill)
      nacre_slurm_cancel
      ;;
    *) nacre_slurm_join "$1" ;;
  esac
}

nacre_slurm_cancel() { # the job, or our task of it
  if [[ -z ${nacre_array-} ]]; then
    scancel --quiet --user="$UID" --name="$nacre_slurm_name"
  else
    nacre_slurm_look && { [[ -z $nacre_job ]] || scancel --quiet "$nacre_job_name"; }
  fi
}

nacre_slurm_start() { # one that has to wait for its turn is on its way: nobody may run it somewhere else
  srun --ntasks=1 --unbuffered --input=0 --kill-on-bad-exit=0 --job-name="$nacre_slurm_name" "${nacre_slurm[@]}" "${nacre_client[@]}" 2> >(
    while IFS= read -r line; do
      if [[ $line == 'srun: job '*' queued and waiting for resources' ]]; then line='nacre started 0'; fi
      [[ $line == 'srun: job '*' has been allocated resources' ]] || printf '%s\n' "$line" >&2
    done
  )
}

nacre_slurm_submit() { # it is started as soon as it is in the queue: nobody waits for it
  local mark=NACRE_END_$nacre_id said
  said=$({
    printf '#!/usr/bin/env bash\nexec %s <<%s\n' "${nacre_client[*]@Q}" "'$mark'"
    cat
    printf '\n%s\n' "$mark"
  } | sbatch --quiet --parsable --ntasks=1 --no-requeue --output=/dev/null --job-name="$nacre_slurm_name" ${nacre_array_spec:+"--array=$nacre_array_spec"} "${nacre_slurm[@]}" 2>&1 >/dev/null) &&
    printf 'nacre started 0\n' >&2 && return
  # An answer of the controller is a refusal; without one it may be in the queue.
  case $said in
    *[Tt]'imed out'* | *'Unable to contact'* | *'Zero Bytes'* | *[Cc]'onnection'* | *[Cc]'ommunication'* | *'nexpected message'*) ;;
    *'Batch job submission failed'* | *'sbatch: fatal:'* | *'invalid option'* | *'unrecognized option'*) printf 'nacre refused\n' >&2 ;;
  esac
  printf '%s\n' "$said" >&2
  return 1
}

nacre_slurm_join() { # a step beside the command, or where it was
  local pause=0.5
  while nacre_slurm_look || return; [[ $nacre_job_state == PENDING || $nacre_job_state == CONFIGURING ]]; do
    case $1-${nacre_far_words-} in
      attach-*) ;;
      # It has not begun, so it is not told to end: it never begins.
      'say-stop'* | signal-TERM | signal-KILL | signal-INT | signal-QUIT | signal-HUP) scancel --quiet "$nacre_job_name"; return ;;
      # What it is told else it can hear later.
      *) return 1 ;;
    esac
    sleep "$pause"
    pause=2
  done
  if [[ $nacre_job_state == RUNNING || $nacre_job_state == SUSPENDED ]]; then
    srun --jobid="$nacre_job" --overlap --nodes=1 --ntasks=1 --unbuffered --quiet --input=0 "${nacre_client[@]}"
  else
    SLURM_JOB_ID=over "${nacre_client[@]}"
  fi
}
