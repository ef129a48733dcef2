/* film.h: pictures to a film, through a pipe to the program ffmpeg. The ending of the name decides: .mp4 is H.264,
 * .webm is VP9, both with colours that browsers and players show as they are. The film is whole or absent. */
#ifndef FIRN_FILM_H
#define FIRN_FILM_H

#include "image.h"

typedef struct firn_film firn_film;

/* Refused: another ending; ffmpeg is not installed (the sentence says how to get it). */
firn_status firn_film_create(const char *path, double fps, firn_film **film, firn_report *report);
/* All pictures of a film have the size of the first. */
firn_status firn_film_add(firn_film *film, const firn_image *image, firn_report *report);
/* Both end the film's life. */
firn_status firn_film_commit(firn_film *film, firn_report *report);
void firn_film_abandon(firn_film *film);

#endif
