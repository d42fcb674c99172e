package command

import "context"

// maxAnswer is how much git may print for Ask.
const maxAnswer = 1 << 20

// Ask asks git about the repository with the root dir, in the environment env, and reports whether
// git said yes. An error means that git gave no answer.
func Ask(ctx context.Context, dir string, env []string, args ...string) (out string, yes bool, err error) {
	door := Git{Environ: env, Without: Elsewhere, Limit: maxAnswer}
	if door.Own, err = door.At(ctx, dir); err != nil {
		return "", false, err
	}
	out, err = door.Run(ctx, dir, nil, args...)
	yes, err = Agreed(err)
	return out, yes, err
}
